// Glue: one instance per mounted reader, kept between reruns so that scroll and selection stay.
const instances = new WeakMap();

function createReader(root) {
  const find = (selector) => root.querySelector(selector);
  const self = { tell: null, data: null, model: null, pageData: null, selected: -1 };
  const look = { selected: -1, focus: null, matches: null, here: -1, gold: [] };
  const sketches = new WeakMap(); // a drawn slab's element -> its segments and what lights up in it
  const frame = find(".reader"), textHost = find(".text"), sheetHost = find(".sheet"), crumbs = find(".crumbs");
  let slabs = [], slabStarts = [], timer = 0, arrived = "", following = -2;

  const scroller = createScroller(textHost, {
    draw: (index) => {
      const sketch = drawSlab(self.model, slabs[index], look);
      sketches.set(sketch.element, sketch);
      return sketch.element;
    },
    estimate: (index, columns) => estimateHeight(self.model, slabs[index], columns),
    moved: () => { follow(); drawRuler(); },
    held: () => judge.bar.mark && [slabOf(judge.bar.mark.start), slabOf(judge.bar.mark.end)],
  });
  const tree = createTree(find(".tree-body"), (index) => select(index, { scroll: "always" }));
  const ruler = createRuler(find(".ruler"), (share) => self.model && jump(Math.floor(share * self.model.text.length)));
  const search = createFinder();
  const findBar = createFindBar(find(".find"), {
    find: (query) => (self.model ? search(self.model.text, query) : { starts: [], ends: [] }),
    show: showMatch,
    closed: () => (textHost.hidden ? frame : textHost).focus({ preventScroll: true }),
  }, () => (seen() || [0])[0]);

  const slabOf = (position) => Math.max(0, firstNotBelow(slabStarts, position + 1) - 1);
  const drawRuler = () => { if (self.model) ruler.draw(self.model, look, seen()); };

  function segmentAt(element, position) {
    const sketch = sketches.get(element);
    const found = sketch && (sketch.segments.find(({ end }) => end > position) || sketch.segments[sketch.segments.length - 1]);
    return found && found.element;
  }

  // First and last position in view, to the line.
  function seen() {
    if (textHost.hidden || !slabs.length || !textHost.clientHeight) return null;
    return [0, textHost.clientHeight].map((y) => {
      const [index, share] = scroller.at(y);
      return slabs[index].start + share * (slabs[index].end - slabs[index].start);
    });
  }

  // The first chunk in view: where stepping starts when none is chosen.
  function inView() {
    const { model, pageData } = self;
    if (pageData) return Math.max(0, Math.min(...pageData.boxes.map((box) => box[0]), model.leaves.length - 1));
    const edge = textHost.getBoundingClientRect().top + 8;
    for (const [, element] of scroller.drawn()) {
      for (const { element: piece } of sketches.get(element).segments) {
        if (piece.dataset.leaf && piece.getBoundingClientRect().bottom > edge) return Number(piece.dataset.leaf);
      }
    }
    return 0;
  }

  function reveal(position, locate) {
    if (!slabs.length) return;
    scroller.bring(slabOf(position), locate || ((element) => element && segmentAt(element, position)));
  }

  function jump(position, page = 0) {
    if (!self.pageData) { reveal(position); return; }
    if (page) { turn(page); return; }
    const index = self.model.leaves.findIndex((leaf) => leaf.end > position);
    select(index < 0 ? self.model.leaves.length - 1 : index, { scroll: true });
  }

  function showMatch(matches, here) {
    look.matches = matches && matches.starts.length ? matches : null;
    look.here = here;
    if (!self.model) return;
    if (self.pageData) { if (here >= 0) jump(matches.starts[here]); return; }
    scroller.redraw();
    if (here >= 0) reveal(matches.starts[here], (element) => element && element.querySelector(`[data-match="${here}"]`));
    drawRuler();
  }

  function sayWhere(leaf) {
    const headings = leaf && leaf.headings.length ? leaf.headings : ["No heading above"];
    crumbs.replaceChildren();
    headings.forEach((heading, at) => {
      if (at) crumbs.append(make("i", "", "›"));
      crumbs.append(make("span", "", heading));
    });
  }

  // With no chunk chosen, the line above the text names where one reads.
  function follow() {
    if (!self.model || self.selected >= 0 || !self.model.leaves.length) return;
    const index = inView();
    if (index !== following) { following = index; sayWhere(self.model.leaves[index]); }
  }

  function select(index, { scroll = false, silent = false } = {}) {
    const { model } = self;
    if (index < 0 || index >= model.leaves.length) return;
    self.selected = look.selected = index;
    const leaf = model.leaves[index];
    let first = null;
    for (const [, element] of scroller.drawn()) {
      const { lit } = sketches.get(element);
      for (const [, piece] of lit) piece.classList.remove("on");
      for (const [owner, piece] of lit) if (owner === index) { piece.classList.add("on"); first ||= piece; }
    }
    if (scroll && !textHost.hidden) {
      const box = textHost.getBoundingClientRect(), place = first && first.getBoundingClientRect();
      if (scroll === "always" || !place || place.top < box.top + 8 || place.top > box.bottom - 90) reveal(leaf.first);
    }
    sayWhere(leaf);
    tree.show(index);
    drawChunk(model, index, find(".chunk-facts"), actions);
    find(".details").scrollTop = 0;
    drawRuler();
    drawSheet(self, sheetHost, actions, scroll);
    if (silent) return;
    clearTimeout(timer);
    timer = setTimeout(() => self.tell.setStateValue("selected", { shelf: model.key, leaf: index }), 250);
  }

  // A state, not a trigger: the report of the chosen chunk follows at its heels, and a trigger could be lost to it.
  const turn = (page) => self.tell.setStateValue("turn", [self.model.version, page, Date.now()]);
  const actions = {
    step: (by) => select(self.selected < 0 ? inView() : Math.min(self.model.leaves.length - 1, Math.max(0, self.selected + by)), { scroll: true }),
    touch: (index) => select(index),
    find: (words) => findBar.open(words),
    jump,
    turn,
  };
  const judge = createReaderJudge(root, self, {
    stage: find(".stage"), frame, textHost, facts: find(".gold-facts"), look, redraw: drawGold, jump,
    tell: (request) => self.tell.setStateValue("judging", request),
    chosen: () => self.model.leaves[self.selected],
  });
  const unfit = fitToWindow(frame);
  const unhook = hookReader(find, self, { actions, select, findBar, textHost, frame, marked: judge.bar.marked });

  function drawGold(changed) {
    scroller.redraw((index) => changed.some((gold) => gold.start < slabs[index].end && slabs[index].start < gold.end));
    drawRuler();
  }

  function load(model) {
    const started = performance.now();
    self.model = model;
    self.selected = look.selected = -1;
    look.focus = look.matches = null;
    look.gold = readGold(self.data.judging.gold, model.at);
    judge.bar.mark = null;
    following = -2;
    slabs = model.slabs ??= layOut(model);
    slabStarts = slabs.map((slab) => slab.start);
    textHost.style.setProperty("--rails", String(Math.max(0, ...slabs.map((slab) => slab.path.length))));
    scroller.load(slabs.length);
    tree.load(model);
    drawChunk(model, -1, find(".chunk-facts"), actions);
    drawDocument(model, find(".document-facts"), actions);
    const lost = model.gaps.filter((gap) => gap.lost).length;
    find(".ruler").setAttribute("aria-label", `Map of the whole document: ${grouped(model.leaves.length)} chunks, ${grouped(model.gaps.length - lost)} places set aside, ${grouped(lost)} lost`);
    performance.measure("lectern.draw", { start: started });
    findBar.reset();
  }

  self.update = (data) => {
    self.data = data;
    const book = shelf.get(data.shelf);
    frame.classList.toggle("waiting", !book);
    if (!book) return; // its text is on the way: SHELVED tells
    book.model ??= readModel(book.raw);
    book.raw = null;
    const paged = Boolean(data.page), switched = textHost.hidden !== paged;
    self.pageData = data.page;
    textHost.hidden = paged;
    sheetHost.hidden = !paged;
    find(".ghost").hidden = paged;
    const changed = book.model !== self.model;
    if (changed) load(book.model);
    judge.update(data.judging, changed);
    const arrival = [data.shelf, data.focus, data.arrival].join("|"), fresh = arrival !== arrived;
    arrived = arrival;
    if (fresh) {
      look.focus = data.focus && data.focus.map(self.model.at);
      if (!changed || look.focus) scroller.redraw();
    }
    const chosen = fresh ? data.selected : self.selected;
    // A choice's own report comes back as an update: nothing to draw anew under the pointer, no parent to open again.
    if (chosen >= 0 && (fresh || changed || switched)) select(chosen, { scroll: fresh || switched ? "always" : false, silent: true });
    else drawSheet(self, sheetHost, actions, false);
    if (fresh && look.focus && !paged) reveal(look.focus[0]);
    judge.overlay(sheetHost);
    requestAnimationFrame(() => { follow(); drawRuler(); });
  };
  const shelved = () => self.data && self.update(self.data);
  window.addEventListener(SHELVED, shelved);
  self.close = () => {
    window.removeEventListener(SHELVED, shelved);
    unhook();
    judge.close();
    unfit();
    scroller.close();
    tree.close();
    clearTimeout(timer);
  };
  return self;
}

export default function (component) {
  const root = component.parentElement;
  let reader = instances.get(root);
  if (!reader) { reader = createReader(root); instances.set(root, reader); }
  reader.tell = component;
  if (component.data) reader.update(component.data);
  return () => { const current = instances.get(root); if (current) { current.close(); instances.delete(root); } };
}
