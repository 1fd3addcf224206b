// Divides the text into slabs, the units of virtual scrolling: the text of a parent, or a part of a long one. A slab is a
// list of pieces; a piece is a block or a part of one. Blocks are divided at the ends of slabs, and where a leaf begins
// with a line.
const SLAB = 4000; // approximate length of a slab in characters

function layOut(model) {
  const { text, blocks, blockEnds, parents, borders } = model;
  const slabs = [];

  // The offset at which to divide a piece that is too long: the end of a line, else of a leaf.
  function cutAfter(start, end) {
    if (end - start <= SLAB * 1.5) return end;
    const line = text.indexOf("\n", start + SLAB);
    if (line >= 0 && line < Math.min(end, start + SLAB * 3)) return line + 1;
    const border = borders[firstNotBelow(borders, start + SLAB)];
    if (border < Math.min(end, start + SLAB * 3)) return border;
    const unit = text.charCodeAt(start + SLAB);
    return start + SLAB + (unit >= 0xdc00 && unit <= 0xdfff ? 1 : 0); // never inside a surrogate pair
  }

  function region(path, start, end) {
    let slab = null;
    const put = (block, from, to) => {
      const lines = leafLines(model, from, to);
      for (let begin = from; begin < to;) {
        while (lines.length && lines[0] <= begin) lines.shift();
        const cut = cutAfter(begin, lines.length ? lines[0] : to);
        if (!slab || slab.characters + (cut - begin) > SLAB * 1.5) {
          slab = { start: begin, end: cut, path, pieces: [], characters: 0 };
          slabs.push(slab);
        }
        slab.pieces.push({ block, start: begin, end: cut });
        slab.characters += cut - begin;
        slab.end = cut;
        begin = cut;
      }
    };
    const loose = (from, to) => { // text outside all blocks, as paragraphs between blank lines
      const pattern = /\S[\s\S]*?(?=\n[ \t]*\n|$)/g, words = text.slice(from, to);
      for (let found = pattern.exec(words); found; found = pattern.exec(words)) put(-1, from + found.index, from + found.index + found[0].length);
    };
    let cursor = start;
    for (let index = firstNotBelow(blockEnds, start + 1); index < blocks.length && blocks[index].start < end; index += 1) {
      const from = Math.max(blocks[index].start, start), to = Math.min(blocks[index].end, end);
      if (from > cursor) loose(cursor, from);
      if (/\S/.test(text.slice(from, to))) put(index, from, to);
      cursor = to;
    }
    if (cursor < end) loose(cursor, end);
  }

  function family(path, start, end, members) {
    let cursor = start;
    for (const index of members) {
      const parent = parents[index], from = Math.max(parent.start, cursor), inside = [...path, index];
      if (from > cursor) region(path, cursor, from);
      if (parent.inner.length) family(inside, from, parent.end, parent.inner); else region(inside, from, parent.end);
      cursor = Math.max(cursor, parent.end);
    }
    if (cursor < end) region(path, cursor, end);
  }

  family([], 0, text.length, model.roots);
  bracket(slabs);
  return slabs;
}

// The starts of the lines inside [from, to) with which leaves begin.
function leafLines(model, from, to) {
  const { leafStarts, text } = model, found = [];
  for (let index = firstNotBelow(leafStarts, from + 1); index < leafStarts.length && leafStarts[index] < to; index += 1) {
    let line = leafStarts[index];
    while (line > from && (text[line - 1] === " " || text[line - 1] === "\t")) line -= 1;
    if (line > from && text[line - 1] === "\n") found.push(line);
  }
  return found;
}

// Set which of a slab's parents begin and end in it: only there a bracket gets its hooks.
function bracket(slabs) {
  slabs.forEach((slab, index) => {
    const before = index ? slabs[index - 1].path : [], after = index + 1 < slabs.length ? slabs[index + 1].path : [];
    slab.opens = slab.path.map((parent) => !before.includes(parent));
    slab.closes = slab.path.map((parent) => !after.includes(parent));
  });
}

// The estimated height of a slab in pixels. columns: characters in a line of plain text.
function estimateHeight(model, slab, columns) {
  let height = 14;
  for (const { block, start, end } of slab.pieces) {
    const { kind, level } = block < 0 ? { kind: "", level: 0 } : model.blocks[block];
    const fixed = kind === "code" || kind === "table" || kind === "front_matter";
    const size = kind === "heading" ? [1, 1.55, 1.3, 1.14][level] || 1.04 : 1;
    const wide = (fixed ? columns * 0.95 : columns) / size;
    let lines = 0;
    for (let from = start; from < end;) {
      const found = model.text.indexOf("\n", from), to = found < 0 || found > end ? end : found;
      lines += Math.max(1, Math.ceil((to - from) / wide));
      from = to + 1;
    }
    height += lines * (fixed ? 21 : 26 * size) + (kind === "heading" ? 12 : 8);
  }
  return height;
}
