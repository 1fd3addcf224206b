// Lays out the lines of a table as rows of a grid: the starts of the cells, and the widths of the columns.
const MOST_COLUMNS = 12, ROOM = 74; // most columns and characters in a line of a grid; a larger table is drawn as plain lines
const layouts = new WeakMap(); // block -> its layout, shared by all parts of the block

// The starts of a line's cells: its beginning, and every unescaped separator. outer: lines have the form "| a | b |".
function cellStarts(line, outer) {
  const starts = [0];
  for (let at = outer ? 1 : 0; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === "|" && !(outer && !line.slice(at + 1).trim())) starts.push(at);
  }
  return starts;
}

// The line below a header, or one that frames a table: it has no content.
const isRule = (line) => /^[\s|:+=-]+$/.test(line);

// The grid position of a cell; in a row with too few or too many cells the last one takes the remaining columns.
function cellOf(column, starts, count) {
  const cell = make("span", "cell");
  if (starts.length !== count && column === starts.length - 1) cell.style.gridColumn = `${column < count ? column + 1 : "auto"} / -1`;
  return cell;
}

// { outer, columns, wide, count }: columns as CSS, "" if a grid does not fit: ragged rows, or too many columns. wide: columns for a
// box that scrolls sideways.
function layoutOf(model, block) {
  if (layouts.has(block)) return layouts.get(block);
  const lines = model.text.slice(block.start, Math.min(block.end, block.start + 60000)).split("\n").filter((line) => line.trim() && !isRule(line));
  const outer = lines.every((line) => line.startsWith("|"));
  const rows = lines.slice(0, 400).map((line) => {
    const starts = cellStarts(line, outer);
    return starts.map((from, column) => line.slice(from, starts[column + 1]).replace(/^\||<[^<>]*>/g, "").trim());
  });
  const usual = (rows[0] || []).length, even = rows.filter((row) => row.length === usual).length >= rows.length * 0.8;
  const count = even ? usual : Math.max(0, ...rows.map((row) => row.length));
  let columns = "", wide = "";
  if (count > 1) {
    const least = new Array(count).fill(3), weight = new Array(count).fill(4); // of each column: its longest word, its longest cell
    for (const row of rows) {
      row.slice(0, count).forEach((cell, column) => {
        const word = cell.length <= 9 ? cell.length : Math.max(...cell.split(/\s+/).map((each) => each.length));
        least[column] = Math.max(least[column], Math.min(18, word));
        weight[column] = Math.max(weight[column], Math.min(40, cell.length));
      });
    }
    const total = least.reduce((sum, each) => sum + each + 3, 0);
    wide = weight.map((each) => `${Math.min(28, each) + 2}ch`).join(" ");
    const share = (each) => (100 * (each + 3) / total).toFixed(2); // in a narrow frame words break, so that no cell is cut off
    const track = (each, column) => `minmax(min(${each + 3}ch, ${share(each)}%), ${weight[column]}fr)`;
    if (even && count <= MOST_COLUMNS && total <= ROOM) columns = least.map(track).join(" ");
  }
  const layout = { outer, columns, wide, count };
  layouts.set(block, layout);
  return layout;
}

// The rows of a table written as HTML, or of a part of one: { head, cells }, each cell { column, wide, words }. words: the
// [from, to) of what stands between tags. A cell over several rows keeps its column free in those below.
function htmlRows(text, from, to) {
  const rows = [], tag = /<[^<>]*>/g, below = []; // below: of each column, how many rows a cell from above still covers
  let at = from;
  const taken = (column) => below[column] > 0;
  const covers = (source, name) => Math.min(99, Number((new RegExp(`\\b${name}\\s*=\\s*["']?(\\d+)`, "i").exec(source) || [])[1]) || 1);
  const begin = (head) => {
    for (const column of below.keys()) below[column] = Math.max(0, (below[column] || 0) - 1);
    rows.push({ head, cells: [], next: 0 });
  };
  const cell = (source = "") => {
    const row = rows[rows.length - 1], wide = covers(source, "colspan"), high = covers(source, "rowspan");
    while (taken(row.next)) row.next += 1;
    row.cells.push({ column: row.next, wide, words: [] });
    for (let index = 0; index < wide; index += 1) below[row.next + index] = high;
    row.next += wide;
  };
  const take = (end) => {
    const words = text.slice(at, end), left = words.length - words.trimStart().length;
    if (!words.trim() || !rows.length) return;
    const { cells } = rows[rows.length - 1];
    if (!cells.length) cell();
    cells[cells.length - 1].words.push([at + left, at + words.trimEnd().length]);
  };
  tag.lastIndex = from;
  if (!/^\s*<(?:table|t?head|t?body|tr)\b/i.test(text.slice(from, to))) begin(false);
  for (let found = tag.exec(text); found && found.index < to; found = tag.exec(text)) {
    take(found.index);
    at = found.index + found[0].length;
    const name = ((/^<(tr|td|th)\b/i.exec(found[0]) || [])[1] || "").toLowerCase();
    if (name === "tr" || (name && !rows.length)) begin(true);
    if (name === "td" || name === "th") cell(found[0]);
    if (name === "td") rows[rows.length - 1].head = false;
  }
  take(to);
  return rows.filter(({ cells }) => cells.some(({ words }) => words.length));
}

// The grid of such a table, as of one whose cells "|" separates.
function htmlLayout(source) {
  const rows = htmlRows(source, 0, source.length);
  const width = Math.max(0, ...rows.map(({ cells }) => cells.reduce((most, { column, wide }) => Math.max(most, column + wide), 0)));
  const lines = rows.map(({ cells }) => {
    const words = new Array(width).fill(" ");
    for (const cell of cells) words[cell.column] = cell.wide > 1 ? " " : cell.words.map(([from, to]) => source.slice(from, to)).join(" ").replaceAll("|", " ");
    return words.join("|");
  });
  const model = lines.join("\n");
  return layoutOf({ text: model }, { start: 0, end: model.length });
}

const isHtml = (text, start) => text[start] === "<";

// The grid position of a cell of HTML.
function htmlCell({ column, wide }) {
  const cell = make("span", "cell");
  cell.style.gridColumn = `${column + 1} / span ${wide}`;
  return cell;
}
