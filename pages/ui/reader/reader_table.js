// A table's lines as rows of a grid. Its text stays complete, so that offsets stay valid: separators are dim, tags of HTML unseen.

// inline: draws text with its chunk's number, as drawSlab does.
function drawTable(model, block, start, end, holder, inline) {
  if (isHtml(model.text, block.start)) {
    drawHtmlTable(model, block, start, end, holder, inline);
    return;
  }
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
    if (isRule(line)) row.classList.add("rule");
    const where = from === start ? "margin" : "inline";
    if (!grid) inline(row, from, to, where);
    else {
      const starts = cellStarts(line, outer);
      starts.forEach((at, column) => {
        const cell = cellOf(column, starts, count);
        if (from + at < to) fillCell(cell, from + at, from + (starts[column + 1] ?? line.length), column ? "inline" : where);
        row.append(cell);
      });
    }
    if (to < end) row.append("\n");
    holder.append(row);
    from = to + 1;
  }
}

function drawHtmlTable(model, block, start, end, holder, inline) {
  if (!layouts.has(block)) layouts.set(block, htmlLayout(model.text.slice(block.start, block.end)));
  const { columns } = layouts.get(block), grid = Boolean(columns);
  holder.classList.add("rows", grid ? "grid" : "lines");
  if (grid) holder.style.setProperty("--columns", columns);
  let at = start, place = holder;

  const draw = (to) => { inline(place, at, to, at === start ? "margin" : "inline"); at = to; };
  function tags(to) {
    if (to <= at) return;
    const holds = place, unseen = make("span", "tags");
    holds.append(unseen);
    place = unseen;
    draw(to);
    place = holds;
  }

  for (const { head, cells } of htmlRows(model.text, start, end)) {
    const row = make("div", head ? "row head" : "row");
    holder.append(row);
    for (const found of cells) {
      place = htmlCell(found);
      row.append(place);
      for (const [first, last] of found.words) {
        tags(first);
        draw(last);
      }
    }
  }
  tags(end);
}
