// A table in a passage, drawn as one grid even if several chunks divide it; a part without the table's header gets it. The
// separators between cells and the line below the header are not drawn.
const tables = new WeakMap(); // block -> its layout, and whether its lost header is drawn

function tableOf(text, block) {
  if (!tables.has(block)) {
    const [start, end, , , header] = block, lost = header ? `${header.trimEnd()}\n` : "";
    tables.set(block, { ...layoutOf({ text: lost + text.slice(start, end) }, { start: 0, end: lost.length + end - start }), lost });
  }
  return tables.get(block);
}

function appendRows(piece, shown, block, from, to) {
  const table = tableOf(shown.text, block), { outer, columns, wide, count } = table;
  piece.classList.add("grid");
  piece.classList.toggle("wide", !columns);
  piece.style.setProperty("--columns", columns || wide);

  // fill(cell, from, to): append that part of the line to the cell.
  function appendRow(line, head, fill) {
    if (!line.trim() || isRule(line)) return;
    const row = make("span", head ? "row head" : "row"), starts = cellStarts(line, outer && line.startsWith("|"));
    starts.forEach((at, column) => {
      const cell = cellOf(column, starts, count), bare = line.slice(at, starts[column + 1]);
      const before = /^\|?\s*/.exec(bare)[0].length, words = bare.slice(before).replace(/\s*\|?\s*$/, "");
      if (words) fill(cell, at + before, at + before + words.length);
      row.append(cell);
    });
    piece.append(row);
  }

  for (const line of table.lost.split("\n")) appendRow(line, true, (cell, first, last) => cell.append(line.slice(first, last)));
  table.lost = "";
  for (let start = from; start < to;) {
    const found = shown.text.indexOf("\n", start), end = found < 0 || found > to ? to : found, begins = start;
    appendRow(shown.text.slice(start, end), start < block[3], (cell, first, last) => appendWords(cell, { ...shown, shape: asIs }, begins + first, begins + last));
    start = end + 1;
  }
}
