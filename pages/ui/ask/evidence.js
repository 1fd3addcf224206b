// The retrieved chunks beside the passages they were expanded to. All text is set through textContent.

function createEvidence(root) {
  const find = (selector) => root.querySelector(selector);
  const hits = find(".hits"), passages = find(".passages"), opener = find(".open-hit");
  const self = { tell: null, key: "", data: null };
  let rows = [], cards = [], pieces = [], timer = 0, chosen = -1, lit = -1;
  const open = (item) => self.tell.setTriggerValue("open", { document: item.version, span: `${item.start}-${item.end}` });
  find(".pair").addEventListener("lead", (event) => self.tell.setTriggerValue("open", event.detail));
  const pair = pairColumns(hits, passages, (hit, leader) => {
    const waits = timer; // the pointer only passed over an element: the column the user scrolls must not follow
    clearTimeout(timer);
    timer = 0;
    if (hit === chosen && !waits) return;
    mark(hit, self.data.hits[hit].passage);
    if (leader === hits) { const target = markOf(hit); if (target) pair.bring(passages, target); } else pair.bring(hits, rows[hit]);
  });

  function markOf(hit) {
    const passage = self.data.hits[hit].passage;
    return passage >= 0 ? cards[passage].marks.get(hit) || cards[passage].card : null;
  }

  const judge = createEvidenceJudge(root, {
    stage: find(".evidence"), hosts: [hits, passages], tell: (request) => self.tell.setStateValue("judging", request),
    chosen: () => root.activeElement === hits && rows[chosen],
    redraw: (gold) => {
      rows.forEach((row, index) => row.drawGold(gold.hits[index] || []));
      cards.forEach((card, index) => card.drawGold(gold.passages[index] || []));
      if (rows.length) mark(chosen < 0 ? null : chosen, lit);
    },
  });

  // Highlight a hit with its passage, or (hit null) a passage with all its hits.
  function mark(hit, passage) {
    chosen = hit ?? -1;
    lit = passage;
    rows.forEach((row, index) => {
      row.classList.toggle("on", index === hit || (hit === null && passage >= 0 && self.data.hits[index].passage === passage));
      row.setAttribute("aria-selected", String(index === hit));
    });
    if (chosen >= 0) hits.setAttribute("aria-activedescendant", `hit-${chosen}`);
    cards.forEach(({ card, marks }, index) => {
      card.classList.toggle("on", index === passage);
      marks.forEach((child, owner) => child.classList.toggle("on", owner === hit));
    });
    pieces.forEach((piece, index) => piece.classList.toggle("on", index === passage));
    opener.disabled = chosen < 0;
  }

  // passage null: the hit's passage. hit null: no single hit. now: by a click or key, not by a passing pointer.
  function light(passage, hit, now) {
    clearTimeout(timer);
    pair.follow();
    const shown = passage === null ? (hit >= 0 ? self.data.hits[hit].passage : -1) : passage;
    mark(hit, shown);
    const follow = () => {
      if (hit !== null && hit >= 0) { const target = markOf(hit); if (target) pair.bring(passages, target); pair.bring(hits, rows[hit]); }
      else if (shown >= 0) pair.bring(passages, cards[shown].card);
    };
    timer = now ? 0 : setTimeout(() => { timer = 0; follow(); }, 140);
    if (now) requestAnimationFrame(() => requestAnimationFrame(follow));
  }

  const over = (event, selector) => { // only if the pointer itself moves, not the column below it, and marks no words
    const element = (event.movementX || event.movementY) && !event.buttons && event.target.closest(selector);
    return element ? element : null;
  };
  hits.addEventListener("pointermove", (event) => {
    const row = over(event, ".hit"), hit = rows.indexOf(row);
    if (hit >= 0 && hit !== chosen) light(null, hit, false);
  });
  passages.addEventListener("pointermove", (event) => {
    const child = over(event, ".child");
    if (child && Number(child.dataset.hit) >= 0 && Number(child.dataset.hit) !== chosen) light(null, Number(child.dataset.hit), false);
  });
  hits.addEventListener("click", (event) => {
    const hit = rows.indexOf(event.target.closest(".hit"));
    if (hit >= 0 && !judge.marked()) light(null, hit, true);
  });
  // A double click on text marks a word.
  hits.addEventListener("dblclick", (event) => chosen >= 0 && !event.target.closest(".snippet") && open(self.data.hits[chosen]));
  hits.addEventListener("keydown", (event) => {
    const last = rows.length - 1;
    const to = { ArrowDown: Math.min(last, chosen + 1), ArrowUp: Math.max(0, chosen - 1), Home: 0, End: last }[event.key];
    if (to !== undefined) { event.preventDefault(); light(null, to, true); }
    if (event.key === "Enter" && chosen >= 0) { event.preventDefault(); open(self.data.hits[chosen]); }
  });
  opener.onclick = () => chosen >= 0 && open(self.data.hits[chosen]);

  self.update = (data) => {
    if (data.key === self.key) { judge.update(data.judging, false); return; }
    self.key = data.key;
    self.data = data;
    clearTimeout(timer);
    pieces = drawRoom(data, find(".room"), light);
    find(".left-title").textContent = `Found chunks · ${data.hits.length}`;
    find(".right-title").textContent = `Read for the answer · ${data.passages.length} ${data.passages.length === 1 ? "passage" : "passages"}`;
    const scale = scaleOf(data);
    rows = data.hits.map((hit, index) => drawHit(hit, index, scale, open));
    cards = data.passages.map((passage, index) => drawPassage(passage, index, data, open));
    hits.replaceChildren(...rows);
    const first = data.ending ? data.hits.findIndex((hit) => hit.rank === data.ending.rank) : -1;
    if (first > 0) rows[first].before(make("p", "ending", data.ending.words));
    passages.replaceChildren(...cards.map((item) => item.card));
    judge.update(data.judging, true);
    pair.load(rows, cards);
    if (rows.length) light(null, 0, true);
  };
  self.close = () => { clearTimeout(timer); pair.close(); judge.close(); };
  return self;
}

export default function (component) {
  const root = component.parentElement;
  const view = mounted(root, createEvidence);
  view.tell = component;
  if (component.data) view.update(component.data);
  return unmounting(root);
}
