// A table in a passage, drawn as one: its rows as a grid, whatever parts of it the children are.

// How the columns of a block lie, null where its lines are drawn as they stand. block: [start, end, kind, end of its header].
function tableOf(text, [start, end, , head]) {
  const { outer, columns, count } = layoutOf({ text }, { start, end });
  return columns ? { outer, columns, count, head } : null;
}

// text[from, to) of the table, a row a line; the separators between its cells and the line under its header are not drawn.
function appendRows(piece, shown, { outer, columns, count, head }, from, to) {
  piece.classList.add("grid");
  piece.style.setProperty("--columns", columns);
  for (let start = from; start < to;) {
    const found = shown.text.indexOf("\n", start), end = found < 0 || found > to ? to : found, line = shown.text.slice(start, end);
    if (line.trim() && !isRule(line)) {
      const row = make("span", start < head ? "row head" : "row"), starts = cellStarts(line, outer && line.startsWith("|"));
      starts.forEach((at, column) => {
        const cell = cellOf(column, starts, count), bare = line.slice(at, starts[column + 1]);
        const before = /^\|?\s*/.exec(bare)[0].length, words = bare.slice(before).replace(/\s*\|?\s*$/, "");
        if (words) appendWords(cell, shown, start + at + before, start + at + before + words.length);
        row.append(cell);
      });
      piece.append(row);
    }
    start = end + 1;
  }
}
