// Turns the data sent by Python, rows of numbers, into a model that can be drawn: the text once, and each cut of it.
const LEAF = 10, PARENT = 6, BLOCK = 5, GAP = 5, LINK = 3, TAIL = 3;
const LOST = 1, OFF = 2; // why text is in no chunk; 0: left out by a rule

function* rowsOf(flat, width) {
  for (let at = 0; at < flat.length; at += width) yield flat.slice(at, at + width);
}

function readText(raw, key) {
  const { text, strings } = raw, at = offsetTranslator(text), blocks = [], links = [];
  for (const [start, end, kind, level, headerEnd] of rowsOf(raw.blocks, BLOCK)) {
    blocks.push({ start: at(start), end: at(end), kind: strings[kind], level, headerEnd: headerEnd && at(headerEnd) });
  }
  for (const [start, end, target] of rowsOf(raw.links, LINK)) links.push({ start: at(start), end: at(end), target: strings[target] });
  return {
    textKey: key, version: raw.version, kind: raw.kind, pageWord: raw.pageWord, text, blocks, links,
    blockEnds: blocks.map((block) => block.end), linkStarts: links.map((link) => link.start),
    words: raw.words, notes: raw.notes, metadata: raw.metadata, at, source: { version: raw.version, text, point: at.inverse },
  };
}

// A text in one cut. `edge` of a leaf: where its own text begins, after the overlap with the leaf before it.
function readCut(base, raw, key) {
  const { text, at } = base, { strings, lists } = raw;
  const named = lists.map((list) => list.map((index) => strings[index]));
  const leaves = [], parents = [], gaps = [], roots = [], loose = [], reach = [], borders = new Set();
  let furthest = 0;
  for (const [start, end, parent, tokens, encoderTokens, headings, prefix, reasons, page, lastPage] of rowsOf(raw.leaves, LEAF)) {
    const before = leaves[leaves.length - 1], from = at(start), shared = before && before.end > from;
    leaves.push({
      start: from, end: at(end), first: afterBlanks(text, from), points: [start, end], parent, tokens, encoderTokens, unread: null,
      edge: afterBlanks(text, shared ? before.end : from), border: shared ? before.points[1] : start,
      headings: named[headings], prefix: named[prefix], reasons: named[reasons], page, lastPage,
    });
    reach.push(furthest = Math.max(furthest, at(end)));
  }
  for (const [start, end, parent, level, tokens, headings] of rowsOf(raw.parents, PARENT)) {
    parents.push({ start: at(start), end: at(end), parent, level, tokens, headings: named[headings], inner: [], leaves: [] });
  }
  for (const [start, end, reason, fate, page] of rowsOf(raw.gaps, GAP)) {
    gaps.push({ start: at(start), end: at(end), points: [start, end], reason: strings[reason], lost: fate === LOST, off: fate === OFF, page });
  }
  for (const [leaf, start] of rowsOf(raw.tails, TAIL)) {
    leaves[leaf].unread = at(start);
    borders.add(at(start));
  }
  parents.forEach((parent, index) => (parent.parent < 0 ? roots : parents[parent.parent].inner).push(index));
  leaves.forEach((leaf, index) => (leaf.parent < 0 ? loose : parents[leaf.parent].leaves).push(index));
  for (const list of [leaves, gaps, base.links]) for (const { start, end } of list) borders.add(start).add(end);
  for (const { edge } of leaves) borders.add(edge);
  return {
    ...base, key, leaves, parents, gaps, roots, loose, reach, leafStarts: leaves.map((leaf) => leaf.start),
    gapStarts: gaps.map((gap) => gap.start), borders: Int32Array.from(borders).sort(),
    limit: raw.limit, covered: raw.covered, characters: raw.characters,
  };
}

const CUTS_KEPT = 4; // cached cuts of a text: those of two compared readers, and former ones

// The model of the cut to draw, cached by its key; null while its text has not arrived.
function modelOf(data) {
  const book = shelf.get(data.shelf);
  if (!book) return null;
  if (book.raw) { book.base = readText(book.raw, data.shelf); book.raw = null; book.cuts = new Map(); }
  let model = book.cuts.get(data.key);
  if (!model) {
    const started = performance.now();
    model = readCut(book.base, JSON.parse(data.cut), data.key);
    performance.measure("lectern.read", { start: started });
  }
  book.cuts.delete(data.key); // moves the cut used last to the end
  book.cuts.set(data.key, model);
  if (book.cuts.size > CUTS_KEPT) book.cuts.delete(book.cuts.keys().next().value);
  return model;
}

function afterBlanks(text, start) {
  let place = start;
  while (place < text.length && " \n\t".includes(text[place])) place += 1;
  return place;
}

// The indices of the leaves that contain a position, in order; several where leaves overlap.
function leavesAt(model, position) {
  const found = [];
  for (let index = firstNotBelow(model.leafStarts, position + 1) - 1; index >= 0 && model.reach[index] > position; index -= 1) {
    if (model.leaves[index].end > position) found.push(index);
  }
  return found.reverse();
}

// The leaf that contains a position, else the first one after it, else the last one; -1 without leaves.
function leafNear(model, position) {
  const found = leavesAt(model, position);
  return found.length ? found[found.length - 1] : Math.min(model.leaves.length - 1, firstNotBelow(model.leafStarts, position));
}

// The index of the span in a sorted list that contains a position, -1 for none.
function holderOf(rows, starts, position) {
  const index = firstNotBelow(starts, position + 1) - 1;
  return index >= 0 && rows[index].end > position ? index : -1;
}

// The pages of a leaf: "3", "3 – 4" or "".
function pagesInWords(leaf) {
  if (!leaf.page) return "";
  return leaf.page === leaf.lastPage ? String(leaf.page) : `${leaf.page} – ${leaf.lastPage}`;
}

// The chunker's reasons for a chunk's beginning and end, and its other notes.
function whyOf(leaf) {
  const of = (word) => leaf.reasons.filter((reason) => reason.startsWith(`${word}: `)).map((reason) => reason.slice(word.length + 2));
  return {
    begins: of("begins").join("; "), ends: of("ends").join("; "),
    notes: leaf.reasons.filter((reason) => !/^(?:begins|ends): /.test(reason)),
  };
}
