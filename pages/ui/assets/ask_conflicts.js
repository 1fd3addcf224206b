// What the sources disagree on: one line, behind it both sides. Text comes as data and leaves as textContent.
function drawConflict(row, component) {
  const fold = make("details", "conflict"), line = make("summary", "");
  const values = row.sides.map((side) => `${side.value} (${side.file})`).join(" · ");
  line.append(icon("warning"), make("b", "", `Sources disagree${row.about ? ` on “${row.about}”` : ""}: `), make("span", "", values));
  const pair = make("div", "pair");
  pair.append(...row.sides.map((side) => drawSide(side, component)));
  fold.append(line, pair);
  if (row.reason) fold.append(make("p", "reason", row.reason));
  return fold;
}

function drawSide(side, component) {
  const card = make("blockquote", side.preferred ? "side preferred" : "side"), said = make("p", "said");
  const [before, value, behind] = side.pieces, go = make("button", "cite");
  said.append(before, make("mark", "", value), behind);
  go.append(make("span", "", side.document), icon("arrow_outward"));
  go.title = `Open in Chunks · ${side.file}`;
  go.onclick = () => component.setTriggerValue("open", { document: side.version, span: `${side.start}-${side.end}` });
  card.append(said, go);
  if (side.preferred) card.append(make("b", "counts", "its word counts"));
  return card;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".conflicts");
  if (!data) return;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return; // a fold that was opened stays open
  host.dataset.drawn = drawn;
  host.replaceChildren(...data.rows.map((row) => drawConflict(row, component)));
}
