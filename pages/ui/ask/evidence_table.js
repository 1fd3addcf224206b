// A table in a passage, drawn as one grid even if several chunks divide it; a part without the table's header gets it. The
// separators between cells and the line below the header are not drawn. Of a table written as HTML no tag is drawn.
const tables = new WeakMap(); // block -> its layout, and whether its lost header is drawn

function tableOf(text, block) {
  if (!tables.has(block)) {
    const [start, end, , , header] = block, lost = header ? `${header.trimEnd()}\n` : "";
    const source = lost + text.slice(start, end), html = isHtml(source, 0);
    const layout = html ? htmlLayout(source) : layoutOf({ text: source }, { start: 0, end: source.length });
    tables.set(block, { ...layout, lost, html });
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

  // fill(cell, from, to): append words of the source, between two tags, to the cell.
  function appendHtml(source, start, end, fill) {
    for (const { head, cells } of htmlRows(source, start, end)) {
      const row = make("span", head ? "row head" : "row");
      for (const found of cells) {
        const cell = htmlCell(found);
        found.words.forEach(([first, last], index) => {
          if (index) cell.append(" ");
          fill(cell, first, last);
        });
        row.append(cell);
      }
      piece.append(row);
    }
  }

  const fromText = (cell, first, last) => appendWords(cell, { ...shown, shape: asIs }, first, last);
  if (table.html) {
    appendHtml(table.lost, 0, table.lost.length, (cell, first, last) => cell.append(table.lost.slice(first, last)));
    table.lost = "";
    appendHtml(shown.text, from, to, fromText);
    return;
  }
  for (const line of table.lost.split("\n")) appendRow(line, true, (cell, first, last) => cell.append(line.slice(first, last)));
  table.lost = "";
  for (let start = from; start < to;) {
    const found = shown.text.indexOf("\n", start), end = found < 0 || found > to ? to : found, begins = start;
    appendRow(shown.text.slice(start, end), start < block[3], (cell, first, last) => fromText(cell, begins + first, begins + last));
    start = end + 1;
  }
}
