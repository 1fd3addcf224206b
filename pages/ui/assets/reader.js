// Glue: one instance per mounted reader, kept between reruns so that scroll and selection stay.
const instances = new WeakMap();

function readModel(data) {
  const at = offsetTranslator(data.text);
  const text = data.text;
  const words = (indexes) => indexes.map((index) => data.strings[index]);
  const leaves = data.leaves.map((row) => ({
    start: at(row[0]), end: at(row[1]), points: [row[0], row[1]], parent: row[2], tokens: row[3], encoderTokens: row[4], id: row[5],
    headings: words(row[6]), prefix: row[7].map(([kind, index]) => ({ kind, text: data.strings[index] })),
    reasons: words(row[8]), pages: row[9],
  }));
  const parents = data.parents.map((row) => ({
    start: at(row[0]), end: at(row[1]), parent: row[2], level: row[3], tokens: row[4], headings: words(row[5]), inner: [], leaves: [],
  }));
  const roots = [], loose = [];
  parents.forEach((parent, index) => (parent.parent < 0 ? roots : parents[parent.parent].inner).push(index));
  leaves.forEach((leaf, index) => (leaf.parent < 0 ? loose : parents[leaf.parent].leaves).push(index));
  return {
    text, leaves, parents, roots, loose, limit: data.limit, covered: data.covered, characters: data.characters,
    blocks: data.blocks.map((row) => ({ start: at(row[0]), end: at(row[1]), kind: row[2], level: row[3] })),
    gaps: data.gaps.map((row) => ({ start: at(row[0]), end: at(row[1]), points: [row[0], row[1]], reason: data.strings[row[2]], lost: row[3], page: row[4] })),
    focus: data.focus ? [at(data.focus[0]), at(data.focus[1])] : null,
  };
}

function createReader(root, tell) {
  const find = (selector) => root.querySelector(selector);
  const self = { model: null, drawn: null, selected: -1, pageData: null, key: "", tell };
  const textHost = find(".text"), sheetHost = find(".sheet"), details = find(".details"), crumbs = find(".crumbs");
  const ruler = createRuler(find(".ruler"), (share) => jump(Math.floor(share * self.model.text.length)));
  let timer = 0, showInTree = () => {}, wanted = null;

  const report = () => {
    clearTimeout(timer);
    timer = setTimeout(() => self.tell.setStateValue("selected", self.model.leaves[self.selected].id), 250);
  };

  function jump(position, page = 0) {
    const { segments } = self.drawn;
    if (self.pageData) {
      const index = self.model.leaves.findIndex((leaf) => leaf.end > position);
      if (page) actions.turn(page); else select(index < 0 ? self.model.leaves.length - 1 : index, { scroll: true });
      return;
    }
    if (!segments.length) return;
    let low = 0, high = segments.length;
    while (low < high) { const middle = (low + high) >> 1; if (segments[middle].start <= position) low = middle + 1; else high = middle; }
    reveal(segments[Math.max(0, low - 1)].element);
  }

  // Sections out of sight have estimated heights, and fonts and layout may still be on their way: scroll until the
  // place stays where it belongs for a few frames, or a hand takes over.
  function reveal(element) {
    wanted = element;
    let calm = 0, frames = 0;
    const go = () => {
      if (wanted !== element) return;
      const box = textHost.getBoundingClientRect(), place = element.getBoundingClientRect();
      const before = textHost.scrollTop;
      if (box.height) textHost.scrollTop += place.top - box.top - box.height * 0.28;
      calm = box.height && Math.abs(textHost.scrollTop - before) < 1 ? calm + 1 : 0;
      frames += 1;
      if (calm < 4 && frames < 90) requestAnimationFrame(go); else drawRuler();
    };
    go();
  }
  const release = () => { wanted = null; };
  for (const touch of ["wheel", "pointerdown", "touchmove"]) textHost.addEventListener(touch, release, { passive: true });

  const drawRuler = () => self.model && ruler.draw(self.model, self.selected, visible());

  function visible() {
    if (textHost.hidden || !self.drawn || !self.drawn.segments.length) return null;
    const box = textHost.getBoundingClientRect();
    const near = (y, step) => {
      for (let tries = 0; tries < 12; tries += 1, y += step) {
        for (const x of [0.35, 0.2, 0.5]) {
          const hit = root.elementFromPoint ? root.elementFromPoint(box.left + box.width * x, y) : null;
          const segment = hit && hit.closest(".segment");
          if (segment && segment.dataset.at) return Number(segment.dataset.at);
        }
      }
      return null;
    };
    const first = near(box.top + 6, 9), last = near(box.bottom - 6, -9);
    return first === null || last === null ? null : [first, last];
  }

  // The first chunk in sight: where stepping starts when none is chosen.
  function inView() {
    const seen = visible(), page = self.pageData;
    if (page) return Math.max(0, Math.min(...page.boxes.map((box) => box[0]), self.model.leaves.length - 1));
    return seen ? Math.max(0, self.model.leaves.findIndex((leaf) => leaf.start >= seen[0])) : 0;
  }

  function select(index, { scroll = false, silent = false } = {}) {
    const { model, drawn } = self;
    if (index < 0 || index >= model.leaves.length) return;
    if (drawn && self.selected >= 0) for (const element of drawn.ofLeaf[self.selected] || []) element.classList.remove("on");
    self.selected = index;
    const leaf = model.leaves[index];
    if (drawn) for (const element of drawn.ofLeaf[index]) element.classList.add("on");
    if (scroll && !textHost.hidden && drawn && drawn.ofLeaf[index].length) {
      const first = drawn.ofLeaf[index][0];
      const box = textHost.getBoundingClientRect(), place = first.getBoundingClientRect();
      if (scroll === "always" || place.top < box.top + 8 || place.top > box.bottom - 90) reveal(first);
    }
    crumbs.replaceChildren();
    (leaf.headings.length ? leaf.headings : ["No heading above"]).forEach((heading, at) => {
      if (at) crumbs.append(make("i", "", "›"));
      crumbs.append(make("span", "", heading));
    });
    showInTree(index);
    drawDetails(model, index, details, actions);
    drawRuler();
    drawSheet(self, sheetHost, actions, scroll);
    if (!silent) report();
  }

  const actions = {
    step: (by) => select(self.selected < 0 ? inView() : Math.min(self.model.leaves.length - 1, Math.max(0, self.selected + by)), { scroll: true }),
    jump,
    choose: (index) => select(index, { scroll: "always" }),
    touch: (index) => select(index),
    // A state, not a trigger: the report of the chosen chunk follows at its heels, and a trigger could be lost to it.
    turn: (page) => self.tell.setStateValue("turn", [self.data.version, page, Date.now()]),
    copy: (value, button) => {
      const said = button.textContent;
      const done = (word) => { button.textContent = word; setTimeout(() => { button.textContent = said; }, 1200); };
      navigator.clipboard.writeText(value).then(() => done("Copied"), () => done("Not allowed here"));
    },
    link: (leaf, button) => {
      const url = new URL(window.location.href);
      url.search = new URLSearchParams({ document: self.data.version, span: `${leaf.points[0]}-${leaf.points[1]}` }).toString();
      actions.copy(url.toString(), button);
    },
  };

  textHost.addEventListener("click", (event) => {
    const place = event.target.closest("[data-leaf]");
    if (place) select(Number(place.dataset.leaf));
  });
  find(".ghost-box").addEventListener("change", (event) => textHost.classList.toggle("ghosts", event.target.checked));
  let waiting = false;
  textHost.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; drawRuler(); });
  }, { passive: true });
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.composedPath()[0];
    // A closed picker keeps the focus after a choice; the keys are the reader's again.
    const closed = typing && typing.getAttribute && typing.getAttribute("aria-expanded") === "false";
    if (!closed && typing && typing.matches && typing.matches("input:not([type=checkbox]), textarea, select, [contenteditable=true]")) return;
    if (event.key === "[" || event.key === "]") { event.preventDefault(); actions.step(event.key === "[" ? -1 : 1); }
  };
  window.addEventListener("keydown", onKey);
  let size = "";
  const observer = new ResizeObserver(() => {
    const now = `${textHost.clientWidth} ${textHost.clientHeight}`;
    if (now !== size && wanted && wanted.isConnected) reveal(wanted);
    size = now;
    drawRuler();
  });
  observer.observe(textHost);

  self.update = (data) => {
    const key = [data.version, data.recipe, data.focus, data.arrival].join("|");
    const fresh = key !== self.key;
    self.data = data;
    self.pageData = data.page;
    const paged = Boolean(data.page);
    const switched = textHost.hidden !== paged;
    textHost.hidden = paged;
    sheetHost.hidden = !paged;
    find(".ghost").hidden = paged;
    find(".reader").classList.toggle("paged", paged);
    if (fresh) {
      const started = performance.now();
      self.key = key;
      self.model = readModel(data);
      self.selected = -1;
      self.drawn = drawText(self.model, textHost);
      for (const { start, element } of self.drawn.segments) element.dataset.at = String(start);
      showInTree = drawTree(self.model, find(".tree-body"), actions.choose);
      find(".lost-key").hidden = !self.model.gaps.some((gap) => gap.lost);
      textHost.scrollTop = 0;
      performance.measure("lectern.draw", { start: started });
    }
    const wanted = fresh ? data.selected : self.selected;
    if (wanted >= 0) select(wanted, { scroll: fresh || switched ? "always" : false, silent: true });
    else { crumbs.replaceChildren(); drawDetails(self.model, -1, details, actions); drawSheet(self, sheetHost, actions, false); }
    if (fresh && self.model.focus) {
      const cited = textHost.querySelector(".segment.focus");
      if (cited) reveal(cited);
    }
    requestAnimationFrame(drawRuler);
  };
  self.close = () => { window.removeEventListener("keydown", onKey); observer.disconnect(); clearTimeout(timer); };
  return self;
}

export default function (component) {
  const root = component.parentElement;
  let reader = instances.get(root);
  if (!reader) { reader = createReader(root, component); instances.set(root, reader); }
  reader.tell = component;
  if (component.data) reader.update(component.data);
  return () => { const current = instances.get(root); if (current) { current.close(); instances.delete(root); } };
}
