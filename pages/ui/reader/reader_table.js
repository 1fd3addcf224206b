// A table's lines as rows of a grid. Its text stays whole, separators included, so that offsets still mean something.
const MOST_COLUMNS = 12, ROOM = 74; // columns and characters a line has room for: beyond them the rows are plain lines
const layouts = new WeakMap(); // block -> its layout, alike in every slab of it

// Where the cells of a line begin: at its start, and at every separator that is not escaped. outer: "| a | b |".
function cellStarts(line, outer) {
  const starts = [0];
  for (let at = outer ? 1 : 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === "|" && !(outer && !line.slice(at + 1).trim())) starts.push(at);
  }
  return starts;
}

// { outer, columns }: columns as CSS, "" where a grid would not do: ragged rows, or more than there is room for.
function layoutOf(model, block) {
  if (layouts.has(block)) return layouts.get(block);
  const lines = model.text.slice(block.start, Math.min(block.end, block.start + 60000)).split("\n").filter((line) => line.trim());
  const outer = lines.every((line) => line.startsWith("|"));
  const rows = lines.slice(0, 400).map((line) => {
    const starts = cellStarts(line, outer);
    return starts.map((from, column) => line.slice(from, starts[column + 1]).replace(/^\|/, "").trim());
  });
  const count = rows[0].length, even = rows.filter((row) => row.length === count).length >= rows.length * 0.8;
  let columns = "";
  if (even && count > 1 && count <= MOST_COLUMNS) {
    const least = new Array(count).fill(3), weight = new Array(count).fill(4); // the longest word; the longest cell
    for (const row of rows) {
      row.slice(0, count).forEach((cell, column) => {
        const word = cell.length <= 9 ? cell.length : Math.max(...cell.split(/\s+/).map((each) => each.length));
        least[column] = Math.max(least[column], Math.min(18, word));
        weight[column] = Math.max(weight[column], Math.min(40, cell.length));
      });
    }
    const total = least.reduce((sum, each) => sum + each + 3, 0);
    if (total <= ROOM) columns = least.map((each, column) => `minmax(${each + 3}ch, ${weight[column]}fr)`).join(" ");
  }
  const layout = { outer, columns, count };
  layouts.set(block, layout);
  return layout;
}

// inline: draws text with its chunk's number, as drawSlab does.
function drawTable(model, block, start, end, holder, inline) {
  const { outer, columns, count } = layoutOf(model, block), grid = Boolean(columns);
  holder.classList.add("rows", grid ? "grid" : "lines");
  if (grid) holder.style.setProperty("--columns", columns);

  function fillCell(cell, from, to, where) {
    const bar = (at) => { const sign = make("span", "pipe"); inline(sign, at, at + 1, where); cell.append(sign); };
    const opens = model.text[from] === "|", closes = to - from > 1 && model.text[to - 1] === "|" && model.text[to - 2] !== "\\";
    if (opens) bar(from);
    if (to - closes > from + opens) inline(cell, from + opens, to - closes, opens ? "inline" : where);
    if (closes) bar(to - 1);
  }

  let from = start;
  while (from < end) {
    const found = model.text.indexOf("\n", from), to = found < 0 || found > end ? end : found;
    const line = model.text.slice(from, to);
    const row = make("div", from < block.headerEnd ? "row head" : "row");
    if (/^[\s|:+=-]+$/.test(line)) row.classList.add("rule");
    const where = from === start ? "margin" : "inline";
    if (!grid) inline(row, from, to, where);
    else {
      const starts = cellStarts(line, outer);
      starts.forEach((at, column) => {
        const cell = make("span", "cell");
        if (starts.length !== count && column === starts.length - 1) cell.style.gridColumn = "auto / -1";
        if (from + at < to) fillCell(cell, from + at, from + (starts[column + 1] ?? line.length), column ? "inline" : where);
        row.append(cell);
      });
    }
    if (to < end) row.append("\n");
    holder.append(row);
    from = to + 1;
  }
}
