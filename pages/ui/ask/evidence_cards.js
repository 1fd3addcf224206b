// The cards of both columns, and the share of the token budget that they use.

// Document › … › heading, and the file. In a narrow card the file is shortened first, the document last.
function pathOf(item) {
  const path = item.headings[0] === item.document ? item.headings.slice(1) : item.headings;
  const where = make("span", "where");
  where.title = sourceInWords(item);
  const name = make("span", "document", item.document);
  if (item.document.length > 10) name.style.minWidth = "10ch"; else name.style.flexShrink = "0";
  where.append(name);
  if (path.length) where.append(make("span", "heading-path", `› ${path[path.length - 1]}`));
  if (item.file !== item.document) where.append(make("span", "file-name", item.file));
  return where;
}

function drawRoom(data, host, light) {
  const strip = make("div", "strip"), line = make("span", "budget-line");
  const whole = Math.max(1.02 * data.budget, data.tokens);
  data.passages.forEach((passage, index) => {
    const piece = make("button", "piece", String(passage.rank));
    piece.style.width = `${(100 * passage.tokens) / whole}%`;
    piece.title = `${index + 1}. to be read, rank ${passage.rank}: ${grouped(passage.tokens)} tokens · ${passage.document}`;
    piece.setAttribute("aria-label", piece.title);
    piece.onmouseenter = () => light(index, null, false);
    piece.onclick = () => light(index, null, true);
    strip.append(piece);
  });
  line.style.left = `${(100 * data.budget) / whole}%`;
  line.title = `The budget: ${grouped(data.budget)} tokens`;
  const words = make("p", "room-words"), held = make("div", "strip-line");
  held.append(strip, line);
  words.append(make("b", "", `${grouped(data.tokens)} of ${grouped(data.budget)} tokens`),
    ` · ${Math.round((100 * data.tokens) / Math.max(1, data.budget))} % of the budget, which ends at the line`
    + ` · ${data.passages.length} ${data.passages.length === 1 ? "passage" : "passages"} · order: ${data.order}`);
  host.replaceChildren(held, words);
  return [...strip.children];
}

function scoreStrip(hit, scale) {
  const strip = make("span", "scores");
  for (const stage of scale.stages) {
    const score = hit.scores[stage.name], cell = make("span", "score"), track = make("i", "track");
    cell.append(make("small", "", stage.word));
    if (score !== undefined) {
      const [low, high] = scale.range[stage.name], fill = make("i", "fill");
      fill.style.width = `${high > low ? 6 + (94 * (score - low)) / (high - low) : 100}%`;
      track.append(fill);
    }
    const said = score === undefined ? "–" : score.toFixed(stage.digits), rank = hit.ranks[stage.name];
    cell.append(track, make("b", "", said));
    cell.title = score === undefined ? `${stage.word}: not ranked by this stage`
      : `${stage.word}: ${said}${rank ? `, rank ${grouped(rank)}` : ""} · ${stage.scale}`;
    strip.append(cell);
  }
  return strip;
}

// The lowest and the highest score of each stage among the hits; stages that ranked none of them are left out.
function scaleOf(data) {
  const range = {};
  for (const { name } of data.stages) {
    const values = data.hits.map((hit) => hit.scores[name]).filter((value) => value !== undefined);
    if (values.length) range[name] = [Math.min(...values), Math.max(...values)];
  }
  return { stages: data.stages.filter(({ name }) => range[name]), range };
}

function drawHit(hit, index, scale, open) {
  const row = make("div", `hit${hit.passage < 0 ? " out" : ""}`);
  row.id = `hit-${index}`;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", "false");
  const words = [`${hit.rank}. ${sourceInWords(hit)}`, hit.passage < 0 ? `not in the context: ${hit.fate}` : "in the context"];
  row.setAttribute("aria-label", words.join(", "));
  const head = make("header", ""), go = make("span", "go", "Open");
  head.append(make("b", "rank", String(hit.rank)), pathOf(hit));
  if (hit.page) head.append(make("small", "", hit.page));
  if (hit.matched) head.append(make("small", "", `found by its ${hit.matched}`));
  go.title = "Open in Chunks, key Enter";
  go.onclick = (event) => { event.stopPropagation(); open(hit); };
  head.append(go);
  const snippet = make("p", "snippet");
  row.drawGold = (gold) => { snippet.replaceChildren(); row.source = appendSnippet(snippet, hit, gold); };
  row.append(head, snippet, scoreStrip(hit, scale));
  if (hit.passage < 0) row.append(make("p", "fate", `Not in the context: ${hit.fate}`));
  return row;
}

function drawPassage(passage, index, data, open) {
  const card = make("article", "passage"), head = make("header", "");
  card.setAttribute("role", "listitem");
  // Of several sections, that of its best match: it is the one in sight.
  const best = data.hits.find((hit) => hit.passage === index) || passage;
  head.append(make("b", "rank", String(passage.rank)), pathOf({ ...passage, headings: best.headings }));
  if (passage.page) head.append(make("small", "", passage.page));
  const figures = make("small"), relevance = make("abbr", "relevance", `relevance ${passage.score.toFixed(data.relevance.digits)}`);
  relevance.title = data.relevance.help;
  figures.append(relevance, ` · ${grouped(passage.tokens)} tokens`);
  head.append(figures);
  const copy = make("button", "go copy", "Copy"), go = make("button", "go", "Open");
  copy.title = "Copy this passage with its source";
  copy.onclick = () => copyText(quotedWithSource(passage), copy);
  go.title = "Open in Chunks";
  go.onclick = () => open(passage);
  for (const [button, name] of [[copy, "Copy with source"], [go, "Open in Chunks"]]) button.setAttribute("aria-label", `${name}: passage ${passage.rank}`);
  head.append(copy, go);
  const body = make("div", "body");
  for (const part of new Set(passage.prefix)) body.append(make("em", "prefix", part));
  const words = make("div", "body-words"), drawn = { card, marks: new Map() };
  body.append(words);
  drawn.drawGold = (gold) => {
    words.replaceChildren();
    drawn.marks = appendPassage(words, passage, (hit) => (hit >= 0 ? `match ${data.hits[hit].rank}` : "match"), gold);
  };
  card.append(head, make("p", "why", passage.reason), body);
  return drawn;
}
