// Draws the text of a hit or a passage: headings, code and tables as such, with marks for chunks and for the words of
// the question. All text is set through textContent.

// Join lines that were wrapped by hand, and draw bullets; lists, tables, logs and verbatim blocks keep their lines. A line
// end becomes a blank, so that all offsets stay the same.
function flowing(text, blocks, markup) {
  const flow = (words) => (markup ? bulleted(words) : words).replace(/([^\n]{45,})\n(?![\n\s\d>|#*•-])/g, "$1 ");
  let shown = "";
  for (const [start, end] of [...blocks, [text.length, text.length]]) {
    if (start < shown.length) continue;
    shown += flow(text.slice(shown.length, start)) + text.slice(start, end);
  }
  return shown;
}

const translated = (rows, at) => rows.map(([start, end, ...rest]) => [at(start), at(end), ...rest]);

// The text to show: unchanged, or as one paragraph without heading marks and line ends. `units`: for each unit shown its
// offset in the original text, null if unchanged.
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

// Append text[from, to) in pieces that know their offsets, with marks for shared words, gold, links and Markdown.
function appendWords(holder, { source, text, spans, shape, tag }, from, to) {
  let before = from - 1; // start of the previous run: gold may begin with a Markdown sign that is not drawn
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

// A link to the web or to a place in the library; other links only show their target.
function asLink(piece, link) {
  piece.title = link.target.replace(/^wiki:/, "");
  if (!link.place && !/^(?:https?:\/\/|mailto:)/i.test(link.target)) return;
  piece.classList.add("leads");
  piece.onclick = (event) => {
    event.stopPropagation();
    if (link.place) piece.dispatchEvent(new CustomEvent("lead", { bubbles: true, composed: true, detail: link.place })); else window.open(link.target, "_blank", "noopener");
  };
}

// The data to draw of a hit or a passage, with offsets in UTF-16 units; `gold` comes in code points.
function shownOf(item, gold, shape) {
  const at = offsetTranslator(item.text), named = (rows, name) => rows.map(([start, end, more]) => [at(start), at(end), name, more]);
  const source = { version: item.version, text: item.text, point: (unit) => item.start + at.inverse(unit) };
  const blocks = item.blocks.map(([start, end, kind, head, header]) => [at(start), at(end), kind, at(head), header]);
  const code = blocks.filter((block) => block[2] === "code");
  const spans = [...named(item.terms, "term"), ...named(item.links, "link"), ...named(gold, "gold"), ...(item.markup ? markupOf(item.text, code) : [])];
  return { at, source, text: item.text, spans, blocks, shape };
}

// Append text[from, to) block by block, tables as grids.
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

// Draw a passage with its hits as marks. Returns a map from hit to mark.
function appendPassage(body, passage, nameOf, gold) {
  const shown = shownOf(passage, gold, asIs);
  shown.text = flowing(passage.text, shown.blocks, passage.markup);
  const marks = new Map();
  let cursor = 0;
  for (const [start, end, hit] of translated(passage.children, shown.at).sort((a, b) => a[0] - b[0])) {
    const from = Math.max(start, cursor);
    if (from >= end) continue;
    if (from > cursor) appendBlocks(body, shown, cursor, from);
    const mark = make("mark", "child"), tag = make("span", "tag", nameOf(hit));
    mark.append(tag);
    appendBlocks(mark, shown, from, end);
    const cell = tag.nextElementSibling?.matches(".grid") ? tag.nextElementSibling.querySelector(".cell") : null;
    if (cell) cell.prepend(tag); // not on a line of its own
    mark.dataset.hit = String(hit);
    if (hit >= 0) marks.set(hit, mark);
    body.append(mark);
    cursor = end;
  }
  if (cursor < shown.text.length) appendBlocks(body, shown, cursor, shown.text.length);
  return marks;
}

// Draw a hit's text as one paragraph, its tables and code as such.
function appendSnippet(holder, hit, gold) {
  const shown = { ...shownOf(hit, gold, inOneParagraph), tag: "span" }; // the whole hit is one option of its list
  holder.classList.toggle("set", shown.blocks.some((block) => block[2] !== "heading"));
  appendBlocks(holder, shown, 0, hit.text.length);
  return shown.source;
}
