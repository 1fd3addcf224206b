// One question under two presets: its gold and the part of it in each context, drawn on the documents' text. Python
// sends the text in pieces, divided where the marks change, so no offset is computed here. All text is set through
// textContent.
export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".bench-drill");
  if (!data) return;
  const sides = make("div", "sides");
  sides.append(...data.sides.map((side) => half(side, data.gold)));
  host.replaceChildren(make("h3", "question", data.question), legend(data.gold), sides);
}

function legend(gold) {
  const line = make("p", "legend"), said = (shape, word) => {
    const entry = make("span", "entry");
    entry.append(shape, make("span", "", word));
    return entry;
  };
  const sample = (className, text) => make("span", className, text);
  line.append(said(sample("read", "text"), "read; the number is its passage's rank"));
  if (gold) line.append(said(sample("gold read", "text"), "answer, read"), said(sample("gold missed", "text"), "answer, not read"));
  return line;
}

function half(side, gold) {
  const element = make("section", "half-side"), head = make("header");
  element.setAttribute("aria-label", side.preset);
  head.append(make("h4", "name", side.preset));
  if (gold) {
    const recall = make("span", "recall");
    recall.append(make("b", "", side.recall), " of the answer read");
    head.append(recall);
  }
  element.append(head, make("p", "story", side.story));
  if (side.ranks.length) element.append(ladder(side.ranks));
  element.append(...side.excerpts.flatMap((excerpt, index) => pieces(excerpt, side.excerpts[index - 1])));
  element.append(passages(side.passages));
  return element;
}

// The ranks of the gold's best chunk in each stage.
function ladder(ranks) {
  const list = make("ol", "ranks");
  list.setAttribute("aria-label", "Rank of the answer at each stage");
  for (const [word, rank] of ranks) {
    const entry = make("li", rank ? "" : "none");
    entry.append(make("span", "", word), make("b", "", rank || "–"));
    list.append(entry);
  }
  return list;
}

function pieces(excerpt, previous) {
  const shown = [];
  if (!previous || previous.document !== excerpt.document) shown.push(make("p", "document", excerpt.document));
  if (excerpt.problem) return [...shown, make("p", "problem", excerpt.problem)];
  if (excerpt.before > 0) shown.push(make("p", "gap", `… ${grouped(excerpt.before)} characters …`));
  const body = make("div", "excerpt");
  let rank = 0, missing = false;
  for (const [text, by, gold] of excerpt.parts) {
    if (by && by !== rank) body.append(make("span", "tag", String(by)));
    if (gold && !by && !missing) body.append(make("span", "tag lost", "not read"));
    body.append(make(gold ? "mark" : "span", `${gold ? "gold " : ""}${by ? "read" : gold ? "missed" : "plain"}`, text));
    rank = by;
    missing = gold && !by;
  }
  shown.push(body);
  if (excerpt.after > 0) shown.push(make("p", "gap", `… ${grouped(excerpt.after)} characters …`));
  return shown;
}

function passages(items) {
  const fold = make("details", "passages"), holding = items.filter((item) => item.gold).length;
  fold.append(make("summary", "", `The whole context: ${items.length} ${items.length === 1 ? "passage" : "passages"}, ${holding} with the answer`));
  for (const item of items) {
    const entry = make("article"), head = make("header");
    head.append(make("span", "tag", String(item.rank)), make("b", "", item.document), make("small", "", `characters ${grouped(item.start)} – ${grouped(item.end)}${item.gold ? " · holds gold" : ""}`));
    entry.append(head, make("p", "passage-text", item.text));
    fold.append(entry);
  }
  return fold;
}
