// Retrieved children beside the passages they grew into. Text comes as data and leaves as textContent.
const STAGE_WORDS = { dense: "meaning", lexical: "words", fused: "fused", neighbours: "near" };
const STAGE_LONG = { dense: "Meaning", lexical: "Words", fused: "Fused", neighbours: "With its neighbours" };
const views = new WeakMap();

// Document › … › heading: the document gives way first, the last heading last.
function pathOf(item) {
  const path = item.headings[0] === item.document ? item.headings.slice(1) : item.headings;
  const where = make("span", "where");
  where.title = [item.document, ...path].join(" › ");
  where.append(make("span", "document", item.document));
  if (path.length) where.append(make("span", "heading-path", `› ${path[path.length - 1]}`));
  return where;
}

function drawRoom(data, host, light) {
  const strip = make("div", "strip");
  data.passages.forEach((passage, index) => {
    const piece = make("button", "piece", String(passage.rank));
    piece.style.width = `${(100 * passage.tokens) / Math.max(data.budget, data.tokens)}%`;
    piece.title = `Passage of rank ${passage.rank}: ${grouped(passage.tokens)} tokens · ${passage.document}`;
    piece.onmouseenter = () => light(index, null, false);
    piece.onclick = () => light(index, null, true);
    strip.append(piece);
  });
  const words = make("p", "room-words");
  words.append(make("b", "", `${grouped(data.tokens)} of ${grouped(data.budget)} tokens`),
    document.createTextNode(` · ${data.passages.length} ${data.passages.length === 1 ? "passage" : "passages"} · order: ${data.order}`));
  host.replaceChildren(strip, words);
}

function scoreStrip(hit, scale) {
  const strip = make("div", "scores");
  for (const stage of scale.stages) {
    const score = hit.scores[stage], cell = make("span", "score");
    cell.append(make("small", "", STAGE_WORDS[stage] || stage));
    const track = make("i", "track");
    if (score !== undefined) {
      const [low, high] = scale.range[stage];
      const fill = make("i", "fill");
      fill.style.width = `${high > low ? 6 + (94 * (score - low)) / (high - low) : 100}%`;
      track.append(fill);
    }
    cell.append(track, make("b", "", score === undefined ? "–" : score.toFixed(scale.digits[stage])));
    const rank = hit.ranks[stage];
    cell.title = score === undefined ? `${STAGE_LONG[stage] || stage}: not found by this search`
      : `${STAGE_LONG[stage] || stage}: ${score.toFixed(scale.digits[stage])}${rank ? `, rank ${grouped(rank)}` : ""} · ${scale.notes[stage]}`;
    strip.append(cell);
  }
  return strip;
}

function drawHits(data, host, light, open) {
  const range = {};
  for (const stage of data.stages) {
    const values = data.hits.map((hit) => hit.scores[stage]).filter((value) => value !== undefined);
    range[stage] = [Math.min(...values), Math.max(...values)];
  }
  const scale = { stages: data.stages, range, notes: data.scales, digits: data.digits };
  const rows = data.hits.map((hit, index) => {
    const row = make("article", `hit${hit.passage < 0 ? " out" : ""}`);
    row.tabIndex = 0;
    row.setAttribute("role", "listitem");
    const head = make("header", "");
    head.append(make("b", "rank", String(hit.rank)), pathOf(hit));
    if (hit.page) head.append(make("small", "", `p. ${hit.page}`));
    const go = make("button", "go", "Open");
    go.title = "Open in Chunks";
    go.onclick = (event) => { event.stopPropagation(); open({ document: hit.version, span: `${hit.start}-${hit.end}` }); };
    head.append(go);
    row.append(head, make("p", "snippet", hit.text.replace(/^#{1,6}\s+/gm, "").replace(/\s+/g, " ").trim()), scoreStrip(hit, scale));
    if (hit.passage < 0) row.append(make("p", "fate", `Not in the context: ${hit.fate}`));
    row.onmouseenter = () => light(hit.passage, index, false);
    row.onclick = () => light(hit.passage, index, true);
    row.onkeydown = (event) => {
      const next = event.key === "ArrowDown" ? rows[index + 1] : event.key === "ArrowUp" ? rows[index - 1] : null;
      if (next) { event.preventDefault(); next.focus(); light(data.hits[rows.indexOf(next)].passage, rows.indexOf(next), true); }
      if (event.key === "Enter") light(hit.passage, index, true);
    };
    return row;
  });
  host.replaceChildren(...rows);
  return rows;
}

// Lines wrapped by hand flow in a narrower column; what looks like a list, a table or a log keeps its lines.
const flowing = (text) => text.replace(/([^\n]{45,})\n(?![\n\s\d>|#*•-])/g, "$1 ");

function drawPassage(passage, data, light, open) {
  const card = make("article", "passage");
  card.setAttribute("role", "listitem");
  const head = make("header", "");
  head.append(make("b", "rank", String(passage.rank)), pathOf(passage));
  if (passage.page) head.append(make("small", "", `p. ${passage.page}`));
  head.append(make("small", "", `${grouped(passage.tokens)} tokens`));
  const go = make("button", "go", "Open");
  go.title = "Open in Chunks";
  go.onclick = () => open({ document: passage.version, span: `${passage.start}-${passage.end}` });
  head.append(go);
  card.append(head, make("p", "why", passage.reason));
  const body = make("div", "body");
  for (const part of passage.prefix) body.append(make("em", "prefix", part));
  const at = offsetTranslator(passage.text);
  const special = passage.blocks.map(([start, end, kind]) => [at(Math.max(0, start - passage.start)), at(Math.max(0, end - passage.start)), kind]);
  // Text of [from, to), headings and monospaced blocks set as such.
  const set = (holder, from, to) => {
    let done = from;
    for (const [start, end, kind] of special) {
      const first = Math.max(start, done), last = Math.min(end, to);
      if (first >= last) continue;
      if (first > done) holder.append(document.createTextNode(flowing(passage.text.slice(done, first))));
      holder.append(make("span", kind, passage.text.slice(first, last)));
      done = last;
    }
    if (done < to) holder.append(document.createTextNode(flowing(passage.text.slice(done, to))));
  };
  let cursor = 0;
  const marks = new Map();
  const children = passage.children
    .map(([start, end, hit]) => [at(start - passage.start), at(end - passage.start), hit])
    .sort((a, b) => a[0] - b[0]);
  for (const [start, end, hit] of children) {
    const from = Math.max(start, cursor);
    if (from >= end) continue;
    if (from > cursor) set(body, cursor, from);
    const mark = make("mark", "child");
    const word = make("span", "tag", hit >= 0 ? `match ${data.hits[hit].rank}` : "match");
    mark.append(word);
    set(mark, from, end);
    mark.onmouseenter = () => light(null, hit, false);
    if (hit >= 0) marks.set(hit, mark);
    body.append(mark);
    cursor = end;
  }
  if (cursor < passage.text.length) set(body, cursor, passage.text.length);
  card.append(body);
  return { card, marks };
}

function createEvidence(root) {
  const find = (selector) => root.querySelector(selector);
  const self = { tell: null, key: "" };
  let rows = [], cards = [], pieces = [], timer = 0;
  const open = (target) => self.tell.setTriggerValue("open", target);

  function bring(host, element) {
    const box = host.getBoundingClientRect(), place = element.getBoundingClientRect();
    // The pane may reach below the window, so its lower half does not count as seen.
    if (place.top < box.top + 30 || place.top > box.top + box.height * 0.5) host.scrollBy({ top: place.top - box.top - 60, behavior: "smooth" });
  }

  // passage null: keep to the hit's own; hit null: no child in particular. A click brings both into view at once.
  function light(passage, hit, now) {
    clearTimeout(timer);
    const shown = passage === null && hit >= 0 ? self.data.hits[hit].passage : passage;
    rows.forEach((row, index) => row.classList.toggle("on", index === hit || (hit === null && self.data.hits[index].passage === shown && shown >= 0)));
    cards.forEach(({ card, marks }, index) => {
      card.classList.toggle("on", index === shown);
      marks.forEach((mark, owner) => mark.classList.toggle("on", owner === hit));
    });
    pieces.forEach((piece, index) => piece.classList.toggle("on", index === shown));
    const follow = () => {
      if (shown >= 0 && cards[shown]) bring(find(".passages"), cards[shown].marks.get(hit) || cards[shown].card);
      if (passage === null && hit >= 0) bring(find(".hits"), rows[hit]);
    };
    if (now) requestAnimationFrame(() => requestAnimationFrame(follow)); else timer = setTimeout(follow, 140);
  }

  self.update = (data) => {
    if (data.key === self.key) return;
    self.key = data.key;
    self.data = data;
    drawRoom(data, find(".room"), light);
    pieces = [...root.querySelectorAll(".piece")];
    find(".left-title").textContent = `Retrieved children · ${data.hits.length}`;
    find(".right-title").textContent = `What the reader gets · ${data.passages.length} expanded`;
    rows = drawHits(data, find(".hits"), light, open);
    cards = data.passages.map((passage) => drawPassage(passage, data, light, open));
    find(".passages").replaceChildren(...cards.map((item) => item.card));
    find(".hits").scrollTop = 0;
    find(".passages").scrollTop = 0;
    if (data.hits.length) light(data.hits[0].passage, 0, true);
  };
  self.close = () => clearTimeout(timer);
  return self;
}

export default function (component) {
  const root = component.parentElement;
  let view = views.get(root);
  if (!view) { view = createEvidence(root); views.set(root, view); }
  view.tell = component;
  if (component.data) view.update(component.data);
  return () => { const current = views.get(root); if (current) { current.close(); views.delete(root); } };
}
