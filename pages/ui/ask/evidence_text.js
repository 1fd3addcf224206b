// The text of a hit or a passage with its marks: headings, code and tables set as such, children lit, and the words it
// shares with the question. Every piece is placed with textContent.

// Lines wrapped by hand flow in a narrower column; what looks like a list, a table or a log keeps its lines, and so do
// the blocks that are set as they are. A line end becomes a blank, so every place stays where it is.
function flowing(text, blocks) {
  const flow = (words) => words.replace(/([^\n]{45,})\n(?![\n\s\d>|#*•-])/g, "$1 ");
  let shown = "";
  for (const [start, end] of [...blocks, [text.length, text.length]]) {
    if (start < shown.length) continue;
    shown += flow(text.slice(shown.length, start)) + text.slice(start, end);
  }
  return shown;
}

const translated = (rows, at) => rows.map(([start, end, ...rest]) => [at(start), at(end), ...rest]);

// How words are shown: as they are, or in one paragraph with heading marks and line ends left out. `units`: where in the
// text each unit shown stands, null where they stand as they are.
const asIs = (text, from, to) => ({ words: text.slice(from, to), units: null });
function inOneParagraph(text, from, to) {
  const units = [];
  let words = "";
  for (let at = from; at < to; at += 1) {
    const marks = at && text[at - 1] !== "\n" ? null : /^#{1,6}\s+/.exec(text.slice(at, at + 20));
    if (marks) { at = Math.min(to, at + marks[0].length) - 1; continue; }
    const blank = /\s/.test(text[at]);
    if (blank && words.endsWith(" ")) continue;
    words += blank ? " " : text[at];
    units.push(at);
  }
  return { words, units };
}

// Appends text[from, to) to the holder in pieces that know their place; shared words and gold are marked.
function appendWords(holder, { source, text, terms, gold, shape, tag }, from, to) {
  const borders = new Set([from, to]);
  for (const [start, end] of [...terms, ...gold]) for (const border of [start, end]) if (border > from && border < to) borders.add(border);
  const places = [...borders].sort((one, other) => one - other);
  for (let index = 0; index + 1 < places.length; index += 1) {
    const start = places[index], end = places[index + 1], holds = ([first, last]) => first <= start && last >= end;
    const { words, units } = shape(text, start, end), piece = make(terms.some(holds) ? "b" : "span", "words", words);
    piece.classList.toggle("term", piece.tagName === "B");
    piece.classList.toggle("gold", gold.some(holds));
    setPlace(piece, source, start, units);
    holder.append(...gold.filter((each) => each[0] === start).map((each) => goldTag(each[2], tag)), piece);
  }
}

// What is drawn of a hit or a passage, its places in UTF-16 units; gold as it was told, in code points.
function shownOf(item, gold, shape) {
  const at = offsetTranslator(item.text);
  const source = { version: item.version, text: item.text, point: (unit) => item.start + at.inverse(unit) };
  return { at, source, text: item.text, terms: translated(item.terms, at), gold: translated(gold, at), shape };
}

// A passage's words with its children as marks; returns hit -> mark.
function appendPassage(body, passage, nameOf, gold) {
  const shown = shownOf(passage, gold, asIs), blocks = passage.blocks.map(([start, end, kind, head]) => [shown.at(start), shown.at(end), kind, shown.at(head)]);
  const tables = new Map(blocks.filter((block) => block[2] === "table").map((block) => [block, tableOf(shown.text, block)]));
  shown.text = flowing(passage.text, blocks);
  const set = (holder, from, to) => {
    let done = from;
    for (const block of blocks) {
      const [start, end, kind] = block, first = Math.max(start, done), last = Math.min(end, to), table = tables.get(block);
      if (first >= last) continue;
      if (first > done) appendWords(holder, shown, done, first);
      const piece = make("span", kind);
      if (table) appendRows(piece, shown, table, first, last); else appendWords(piece, shown, first, last);
      holder.append(piece);
      done = last;
    }
    if (done < to) appendWords(holder, shown, done, to);
  };
  const marks = new Map();
  let cursor = 0;
  for (const [start, end, hit] of translated(passage.children, shown.at).sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, cursor);
    if (from >= end) continue;
    if (from > cursor) set(body, cursor, from);
    const mark = make("mark", "child");
    mark.append(make("span", "tag", nameOf(hit)));
    set(mark, from, end);
    mark.dataset.hit = String(hit);
    if (hit >= 0) marks.set(hit, mark);
    body.append(mark);
    cursor = end;
  }
  if (cursor < shown.text.length) set(body, cursor, shown.text.length);
  return marks;
}

// A hit's words in one paragraph.
function appendSnippet(holder, hit, gold) {
  const shown = { ...shownOf(hit, gold, inOneParagraph), tag: "span" }; // the whole hit is a choice of its list
  appendWords(holder, shown, 0, hit.text.length);
  return shown.source;
}
