// A table's lines as rows of a grid. Its text stays whole, separators included, so that offsets still mean something.
const MOST_COLUMNS = 9; // more would leave no room: such tables are shown as their lines
const columnsOf = new WeakMap(); // block -> the columns' widths in characters, alike in every slab of it

// Where the cells of a line begin: at its start, and at every separator that is not escaped.
function cellStarts(line) {
  const starts = [0];
  for (let at = line.startsWith("|") ? 1 : 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === "|" && /\S/.test(line.slice(at + 1))) starts.push(at);
  }
  return starts;
}

function measureColumns(model, block) {
  if (columnsOf.has(block)) return columnsOf.get(block);
  const lines = model.text.slice(block.start, Math.min(block.end, block.start + 60000)).split("\n").filter((line) => line.trim());
  const counts = lines.map((line) => cellStarts(line).length);
  const count = Math.max(...counts);
  let widths = null;
  if (count > 1 && count <= MOST_COLUMNS && counts.filter((each) => each === count).length >= counts.length * 0.8) {
    widths = new Array(count).fill(4);
    for (const line of lines.slice(0, 300)) {
      const starts = cellStarts(line);
      starts.forEach((from, column) => { widths[column] = Math.min(42, Math.max(widths[column], (starts[column + 1] || line.length) - from)); });
    }
  }
  columnsOf.set(block, widths);
  return widths;
}

// Returns whether the piece could be drawn as a grid. pens: how text and chunk numbers are drawn in this slab.
function drawTable(model, block, start, end, holder, { inline, number, lit, selected, whole }) {
  const widths = measureColumns(model, block);
  if (!widths) return false;
  holder.classList.add("grid");
  holder.style.setProperty("--columns", widths.map((width) => `minmax(0, ${width}fr)`).join(" "));

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
    const line = model.text.slice(from, to), starts = cellStarts(line);
    const row = make("div", from < block.headerEnd ? "row head" : "row");
    if (/^[\s|:+=-]+$/.test(line)) row.classList.add("rule");
    const held = leavesAt(model, afterBlanks(model.text, from)), only = held.length === 1 && model.leaves[held[0]].end >= to ? held[0] : -1;
    const begins = only >= 0 && model.leaves[only].first >= from;
    if (begins) holder.append(...number(only, "margin"));
    if (only >= 0 && !whole) { // a part of the table is one chunk, a part another
      row.classList.add("own", only % 2 ? "b" : "a");
      row.classList.toggle("first", begins);
      row.classList.toggle("on", only === selected);
      row.dataset.leaf = String(only);
      lit.push([only, row]);
    }
    starts.forEach((at, column) => {
      const cell = make("span", "cell");
      if (starts.length !== widths.length && column === starts.length - 1) cell.style.gridColumn = "auto / -1";
      fillCell(cell, from + at, from + (starts[column + 1] ?? line.length), begins && !column ? "none" : "inline");
      row.append(cell);
    });
    if (to < end) row.append("\n");
    holder.append(row);
    from = to + 1;
  }
  return true;
}
