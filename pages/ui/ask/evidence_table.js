// A table in a passage, drawn as one grid even if several chunks divide it; a part without the table's header gets it. The
// separators between cells and the line below the header are not drawn. Of a table written as HTML no tag is drawn.
const tables = new WeakMap(); // block -> its layout, and whether its lost header is drawn

function tableOf(text, block) {
  if (!tables.has(block)) {
    const [start, end, , , header] = block, lost = header ? `${header.trimEnd()}\n` : "";
    const source = lost + text.slice(start, end), html = source.startsWith("<");
    const model = html ? htmlRows(source, 0, source.length).map(({ cells }) => cells.map((cell) => cell.map(([a, b]) => source.slice(a, b)).join(" ")).join(" | ")).join("\n") : source;
    tables.set(block, { ...layoutOf({ text: model }, { start: 0, end: model.length }), lost, html });
  }
  return tables.get(block);
}

// The rows of HTML: { head, cells }, each cell the [from, to) of its words between tags.
function htmlRows(text, from, to) {
  const rows = [], tag = /<[^<>]*>/g;
  let at = from;
  const take = (end) => {
    const words = text.slice(at, end), left = words.length - words.trimStart().length;
    if (words.trim() && rows.length) {
      const { cells } = rows[rows.length - 1];
      if (!cells.length) cells.push([]);
      cells[cells.length - 1].push([at + left, at + words.trimEnd().length]);
    }
  };
  tag.lastIndex = from;
  if (!/^\s*<(?:table|t?head|t?body|tr)\b/i.test(text.slice(from, to))) rows.push({ head: false, cells: [] });
  for (let found = tag.exec(text); found && found.index < to; found = tag.exec(text)) {
    take(found.index);
    at = found.index + found[0].length;
    const name = (/^<(tr|td|th)\b/i.exec(found[0]) || [])[1];
    if (!name) continue;
    if (name.toLowerCase() === "tr" || !rows.length) rows.push({ head: true, cells: [] });
    if (name.toLowerCase() !== "tr") rows[rows.length - 1].cells.push([]);
    if (name.toLowerCase() === "td") rows[rows.length - 1].head = false;
  }
  take(to);
  return rows.filter(({ cells }) => cells.some((cell) => cell.length));
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
      cells.forEach((words, column) => {
        const cell = cellOf(column, cells, count);
        words.forEach(([first, last], index) => {
          if (index) cell.append(" ");
          fill(cell, first, last);
        });
        row.append(cell);
      });
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
