// A document as it was sent, in rows of numbers, to a document that can be drawn.
const LEAF = 10, PARENT = 6, BLOCK = 5, GAP = 5, LINK = 3;

function* rowsOf(flat, width) {
  for (let at = 0; at < flat.length; at += width) yield flat.slice(at, at + width);
}

function readModel(raw) {
  const { text, strings, lists } = raw;
  const at = offsetTranslator(text);
  const named = lists.map((list) => list.map((index) => strings[index]));
  const leaves = [], parents = [], blocks = [], gaps = [], links = [];
  for (const [start, end, parent, tokens, encoderTokens, headings, prefix, reasons, page, lastPage] of rowsOf(raw.leaves, LEAF)) {
    leaves.push({
      start: at(start), end: at(end), first: afterBlanks(text, at(start)), points: [start, end], parent, tokens, encoderTokens,
      headings: named[headings], prefix: named[prefix], reasons: named[reasons], page, lastPage,
    });
  }
  for (const [start, end, parent, level, tokens, headings] of rowsOf(raw.parents, PARENT)) {
    parents.push({ start: at(start), end: at(end), parent, level, tokens, headings: named[headings], inner: [], leaves: [] });
  }
  for (const [start, end, kind, level, headerEnd] of rowsOf(raw.blocks, BLOCK)) {
    blocks.push({ start: at(start), end: at(end), kind: strings[kind], level, headerEnd: headerEnd && at(headerEnd) });
  }
  for (const [start, end, reason, lost, page] of rowsOf(raw.gaps, GAP)) {
    gaps.push({ start: at(start), end: at(end), points: [start, end], reason: strings[reason], lost: Boolean(lost), page });
  }
  for (const [start, end, target] of rowsOf(raw.links, LINK)) links.push({ start: at(start), end: at(end), target: strings[target] });
  const roots = [], loose = [];
  parents.forEach((parent, index) => (parent.parent < 0 ? roots : parents[parent.parent].inner).push(index));
  leaves.forEach((leaf, index) => (leaf.parent < 0 ? loose : parents[leaf.parent].leaves).push(index));
  let furthest = 0;
  const reach = leaves.map((leaf) => (furthest = Math.max(furthest, leaf.end)));
  const borders = new Set();
  for (const list of [leaves, gaps, links]) for (const { start, end } of list) borders.add(start).add(end);
  return {
    key: raw.key, version: raw.version, kind: raw.kind, pageWord: raw.pageWord, text, leaves, parents, blocks, gaps, links, roots, loose, reach,
    leafStarts: leaves.map((leaf) => leaf.start), gapStarts: gaps.map((gap) => gap.start), linkStarts: links.map((link) => link.start),
    borders: Int32Array.from(borders).sort(), limit: raw.limit, covered: raw.covered, characters: raw.characters,
    words: raw.words, notes: raw.notes, metadata: raw.metadata, at, source: { version: raw.version, text, point: at.inverse },
  };
}

function afterBlanks(text, start) {
  let place = start;
  while (place < text.length && " \n\t".includes(text[place])) place += 1;
  return place;
}

// The leaves that hold the character at a position, in order; more than one where they overlap.
function leavesAt(model, position) {
  const found = [];
  for (let index = firstNotBelow(model.leafStarts, position + 1) - 1; index >= 0 && model.reach[index] > position; index -= 1) {
    if (model.leaves[index].end > position) found.push(index);
  }
  return found.reverse();
}

// The row of a sorted list that holds a position, -1 for none.
function holderOf(rows, starts, position) {
  const index = firstNotBelow(starts, position + 1) - 1;
  return index >= 0 && rows[index].end > position ? index : -1;
}

// "3", "3 – 4" or "": the pages a leaf stands on.
function pagesInWords(leaf) {
  if (!leaf.page) return "";
  return leaf.page === leaf.lastPage ? String(leaf.page) : `${leaf.page} – ${leaf.lastPage}`;
}
