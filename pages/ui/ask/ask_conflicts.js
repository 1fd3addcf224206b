// Disagreements between sources: a line for each, with both sides folded below. All text is set through textContent.
function drawConflict(row, component) {
  const fold = make("details", "conflict"), line = make("summary", "");
  const values = row.sides.map((side) => `${side.value} (${side.file})`).join(" · ");
  line.append(icon("warning"), make("b", "", `Sources disagree${row.about ? ` on “${row.about}”` : ""}: `), make("span", "", values));
  const pair = make("div", "pair");
  pair.append(...row.sides.map((side) => drawSide(side, component)));
  fold.append(line, pair);
  fold.dataset.name = row.name;
  return fold;
}

function drawSide(side, component) {
  const card = make("blockquote", "side"), said = make("p", "said");
  const [before, value, behind] = side.pieces, go = make("button", "cite");
  said.append(before, ...(value ? [make("mark", "", value)] : []), behind);
  go.append(make("span", "", side.document), icon("arrow_outward"));
  go.title = `Open in Chunks · ${side.file}`;
  go.onclick = () => component.setTriggerValue("open", { document: side.version, span: `${side.start}-${side.end}` });
  const foot = make("div", "foot");
  foot.append(go);
  if (side.date) foot.append(make("span", "date", side.date));
  card.append(said, foot);
  return card;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".conflicts");
  if (!data) return;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return; // keeps opened folds open
  host.dataset.drawn = drawn;
  const opened = new Set([...host.querySelectorAll("details[open]")].map((fold) => fold.dataset.name));
  const held = host.getRootNode().activeElement?.closest?.("details")?.dataset.name;
  host.replaceChildren(...data.rows.map((row) => drawConflict(row, component)));
  for (const fold of host.querySelectorAll("details")) {
    fold.open = opened.has(fold.dataset.name);
    if (fold.dataset.name === held) fold.querySelector("summary").focus();
  }
}
