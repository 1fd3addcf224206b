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

// Appends text[from, to) to the holder in pieces that know their place; shared words, gold, links and Markdown are marked.
function appendWords(holder, { source, text, spans, shape, tag }, from, to) {
  let before = from - 1; // where the run before began: gold may begin with a sign that is left out
  for (const [start, end, held] of runsOf(spans, from, to)) {
    const { words, units } = shape(text, start, end), term = held.some(([, , name]) => name === "term"), piece = make(term ? "b" : "span", "words", words);
    for (const span of held) {
      piece.classList.add(span[2]);
      if (span[2] === "link") asLink(piece, span[3]);
    }
    setPlace(piece, source, start, units);
    holder.append(...spans.filter(([first, , name]) => name === "gold" && first > before && first <= start).map((each) => goldTag(each[3], tag)), piece);
    before = start;
  }
}

// A link leads out of the app or to a place of the library, or shows its target alone.
function asLink(piece, link) {
  piece.title = link.target.replace(/^wiki:/, "");
  if (!link.place && !/^(?:https?:\/\/|mailto:)/i.test(link.target)) return;
  piece.classList.add("leads");
  piece.onclick = (event) => {
    event.stopPropagation();
    if (link.place) piece.dispatchEvent(new CustomEvent("lead", { bubbles: true, composed: true, detail: link.place })); else window.open(link.target, "_blank", "noopener");
  };
}

// What is drawn of a hit or a passage, its places in UTF-16 units; gold as it was told, in code points.
function shownOf(item, gold, shape) {
  const at = offsetTranslator(item.text), named = (rows, name) => rows.map(([start, end, more]) => [at(start), at(end), name, more]);
  const source = { version: item.version, text: item.text, point: (unit) => item.start + at.inverse(unit) };
  const blocks = item.blocks.map(([start, end, kind, head, header]) => [at(start), at(end), kind, at(head), header]);
  const code = blocks.filter((block) => block[2] === "code");
  const spans = [...named(item.terms, "term"), ...named(item.links, "link"), ...named(gold, "gold"), ...(item.markup ? markupOf(item.text, code) : [])];
  return { at, source, text: item.text, spans, blocks, shape };
}

// Appends text[from, to) with its blocks set as what they are, tables as such.
function appendBlocks(holder, shown, from, to) {
  let done = from;
  for (const block of shown.blocks) {
    const [start, end, kind] = block, first = Math.max(start, done), last = Math.min(end, to);
    if (first >= last) continue;
    if (first > done) appendWords(holder, shown, done, first);
    const piece = make("span", kind);
    if (kind === "table") appendRows(piece, shown, block, first, last); else appendWords(piece, { ...shown, shape: asIs }, first, last);
    if (piece.childNodes.length) holder.append(piece);
    done = last;
  }
  if (done < to) appendWords(holder, shown, done, to);
}

// A passage's words with its children as marks; returns hit -> mark.
function appendPassage(body, passage, nameOf, gold) {
  const shown = shownOf(passage, gold, asIs);
  shown.text = flowing(passage.markup ? bulleted(passage.text) : passage.text, shown.blocks);
  const marks = new Map();
  let cursor = 0;
  for (const [start, end, hit] of translated(passage.children, shown.at).sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, cursor);
    if (from >= end) continue;
    if (from > cursor) appendBlocks(body, shown, cursor, from);
    const mark = make("mark", "child");
    mark.append(make("span", "tag", nameOf(hit)));
    appendBlocks(mark, shown, from, end);
    mark.dataset.hit = String(hit);
    if (hit >= 0) marks.set(hit, mark);
    body.append(mark);
    cursor = end;
  }
  if (cursor < shown.text.length) appendBlocks(body, shown, cursor, shown.text.length);
  return marks;
}

// A hit's words in one paragraph; its tables and its code as such.
function appendSnippet(holder, hit, gold) {
  const shown = { ...shownOf(hit, gold, inOneParagraph), tag: "span" }; // the whole hit is a choice of its list
  holder.classList.toggle("set", shown.blocks.some((block) => block[2] !== "heading"));
  appendBlocks(holder, shown, 0, hit.text.length);
  return shown.source;
}
