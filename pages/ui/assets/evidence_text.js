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

// Appends text[from, to) to the holder, the shared words marked.
function appendWords(holder, text, terms, from, to, shape = (words) => words) {
  let cursor = from;
  for (let index = firstNotBelow(terms.map((term) => term[1]), from + 1); index < terms.length && terms[index][0] < to; index += 1) {
    const start = Math.max(from, terms[index][0]), end = Math.min(to, terms[index][1]);
    if (start > cursor) holder.append(shape(text.slice(cursor, start)));
    holder.append(make("b", "term", text.slice(start, end)));
    cursor = end;
  }
  if (cursor < to) holder.append(shape(text.slice(cursor, to)));
}

// A passage's words with its children as marks; returns hit -> mark.
function appendPassage(body, passage, nameOf) {
  const at = offsetTranslator(passage.text);
  const blocks = translated(passage.blocks, at), terms = translated(passage.terms, at);
  const text = flowing(passage.text, blocks);
  const set = (holder, from, to) => {
    let done = from;
    for (const [start, end, kind] of blocks) {
      const first = Math.max(start, done), last = Math.min(end, to);
      if (first >= last) continue;
      if (first > done) appendWords(holder, text, terms, done, first);
      const piece = make("span", kind);
      appendWords(piece, text, terms, first, last);
      holder.append(piece);
      done = last;
    }
    if (done < to) appendWords(holder, text, terms, done, to);
  };
  const marks = new Map();
  let cursor = 0;
  for (const [start, end, hit] of translated(passage.children, at).sort((a, b) => a[0] - b[0])) {
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
  if (cursor < text.length) set(body, cursor, text.length);
  return marks;
}

// A hit's words in one paragraph, heading marks and line ends left out.
function appendSnippet(holder, hit) {
  const at = offsetTranslator(hit.text);
  appendWords(holder, hit.text, translated(hit.terms, at), 0, hit.text.length, (words) => words.replace(/^#{1,6}\s+/gm, "").replace(/\s+/g, " "));
}
