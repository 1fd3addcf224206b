// Two contexts of one question side by side. Text that only one has is marked, with a label in words.
function drawSide(side, other, component) {
  const column = make("section", "side"), head = make("header", "side-head");
  column.setAttribute("aria-label", `Context ${side.name}`);
  head.append(make("b", "name", side.name), make("span", "said", side.said));
  const figures = make("p", "figures");
  figures.append(make("b", "", `${grouped(side.tokens)} of ${grouped(side.budget)} tokens`),
    ` · ${side.passages.length} ${side.passages.length === 1 ? "passage" : "passages"} of ${grouped(side.kept)} ${side.kept === 1 ? "chunk" : "chunks"} kept · ${side.time}`);
  const list = make("div", "list");
  list.tabIndex = 0;
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", `Passages of ${side.name}`);
  list.append(...side.passages.map((passage) => drawCompared(passage, other, component)));
  if (!side.passages.length) list.append(make("p", "figures", "Nothing is read."));
  column.append(head, figures, list);
  return column;
}

function rankWords(passage, other) {
  if (!passage.other) return `not in ${other}`;
  const rank = `rank ${passage.other} in ${other}`;
  return passage.other === passage.rank ? `the same rank in ${other}` : `${passage.other < passage.rank ? "▲" : "▼"} ${rank}`;
}

function drawCompared(passage, other, component) {
  const card = make("article", passage.other ? "compared" : "compared alone"), head = make("header", "");
  card.setAttribute("role", "listitem");
  const open = make("button", "go", "Open");
  open.title = "Open in Chunks";
  open.setAttribute("aria-label", `Open in Chunks: ${sourceInWords(passage)}`);
  open.onclick = () => component.setTriggerValue("open", { document: passage.version, span: `${passage.start}-${passage.end}` });
  const where = make("span", "where", passage.document);
  where.title = sourceInWords(passage);
  head.append(make("b", "rank", String(passage.rank)), where, make("small", "", `${grouped(passage.tokens)} tokens · ${rankWords(passage, other)}`), open);
  const body = make("div", "body");
  for (const [text, only] of passage.pieces) {
    const piece = make(only ? "mark" : "span", only ? "only" : "", text);
    if (only) piece.title = `Not in ${other}`;
    body.append(piece);
  }
  card.append(head, body);
  return card;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".sides");
  if (!data) return;
  const [a, b] = data.sides;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return;
  host.dataset.drawn = drawn;
  const note = make("p", "figures");
  note.append(make("mark", "only", "Underlined"), " is what the other context does not hold.");
  const pair = make("div", "pair");
  pair.append(drawSide(a, "B", component), drawSide(b, "A", component));
  host.replaceChildren(note, pair);
}
