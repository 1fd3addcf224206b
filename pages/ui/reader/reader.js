// Connects the parts of the reader. One instance per mounted reader, kept between reruns so that scroll and selection stay.
const FLASH = 2600; // milliseconds for which the target of a jump is highlighted

function createReader(root) {
  const find = (selector) => root.querySelector(selector);
  // caret: the offset of the character clicked last, null before the first click.
  const self = { tell: null, data: null, model: null, pageData: null, selected: -1, caret: null };
  const look = { selected: -1, focus: null, matches: null, here: -1, gold: [], edits: new Map(), marks: [], leads: new Set() };
  const sketches = new WeakMap(); // a slab's element -> its segments, and the elements that show the selection
  const frame = find(".reader"), textHost = find(".text"), sheetHost = find(".sheet"), crumbs = find(".crumbs");
  let slabs = [], timer = 0, arrived = "", jumped = 0, following = -2, told = "";
  let pressed = false, late = null; // whether the pointer is down in the text; the latest data that arrived meanwhile

  const scroller = createScroller(textHost, {
    draw: (index) => {
      const sketch = drawSlab(self.model, slabs[index], look);
      sketches.set(sketch.element, sketch);
      return sketch.element;
    },
    estimate: (index, columns) => estimateHeight(self.model, slabs[index], columns),
    moved: () => { follow(); drawRuler(); editor.placeCaret(); editor.mover.redraw(); editor.rove(); shareScroll(); },
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

  const view = createView(textHost, scroller, () => slabs, sketches);
  const { slabOf, segmentAt, segmentNear, pointAt, topmost, keptAt, seen } = view;
  const drawRuler = () => { if (self.model) ruler.draw(self.model, look, seen()); };

  // Draw the slabs in the page again; scroll position, focused boundary and marked words stay.
  function redraw(wanted) {
    const mark = judge.bar.marked();
    const top = textHost.scrollTop > 0 && !scroller.bringing() && topmost(), held = editor.held() && editor.edgeInHand();
    scroller.redraw(wanted);
    if (top) { const { index, locate, y } = keptAt(top); scroller.align(index, locate, y); }
    if (held !== false) editor.regrasp(held);
    markAgain(mark);
  }

  // The DOM range between two offsets; null if either end is not drawn.
  function rangeBetween(from, to) {
    const first = segmentNear(from), last = segmentNear(Math.max(from, to - 1));
    if (!first || !last) return null;
    const range = document.createRange(), finish = rangeOf(last, Math.min(last.end - 1, Math.max(from, to - 1)));
    const begin = rangeOf(first, Math.max(from, first.start));
    range.setStart(begin.startContainer, begin.startOffset);
    range.setEnd(finish.endContainer, finish.endOffset);
    return range;
  }

  function markAgain(mark) {
    const now = mark && judge.bar.marked(), range = mark && rangeBetween(mark.start, mark.end);
    if (!range || (now && now.start === mark.start && now.end === mark.end)) return;
    document.getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  }

  function shareScroll() {
    const top = scrollGroup.leader === member && member.key() && topmost();
    if (top) scrollOthers(member, top.position, top.y);
  }
  const member = {
    key: () => (self.data && self.data.synchronised && self.model && !textHost.hidden ? self.model.textKey : ""),
    follow: (position, y) => { const { index, locate } = keptAt({ position, y }); scroller.align(index, locate, y); },
  };
  const lead = () => { scrollGroup.leader = member; };
  for (const touch of ["wheel", "pointerdown", "touchstart", "keydown", "focusin"]) frame.addEventListener(touch, lead, { passive: true });
  self.leads = () => scrollGroup.members.size < 2 || scrollGroup.leader === member;
  scrollGroup.members.add(member);

  // The first chunk in view, where stepping starts without a selected chunk.
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
    redraw();
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

  // Without a selected chunk, the line above the text shows the headings of the first chunk in view.
  function follow() {
    if (!self.model || self.selected >= 0 || !self.model.leaves.length) return;
    const index = inView();
    if (index !== following) { following = index; sayWhere(self.model.leaves[index]); }
  }

  // caret: the offset of the character clicked; null means the chunk's first character.
  function select(index, { scroll = false, silent = false, caret = null } = {}) {
    const { model } = self;
    if (index < 0 || index >= model.leaves.length) return;
    self.selected = look.selected = index;
    const leaf = model.leaves[index];
    if (!silent) self.caret = caret ?? leaf.edge;
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
    drawCard();
    find(".details").scrollTop = 0;
    editor.placeCaret();
    editor.rove();
    drawRuler();
    drawSheet(self, sheetHost, actions, scroll);
    if (!silent) report();
  }

  function report() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const { model, selected, caret } = self, point = (unit) => (unit === null ? null : model.source.point(unit));
      const leaf = model.leaves[selected], at = leaf ? point(leaf.edge) : -1;
      self.tell.setStateValue("selected", { text: model.textKey, cut: model.key, leaf: selected, at, caret: point(caret), arrival: self.data.arrival });
    }, 250);
  }

  // A click in the text, on a chunk or on text that is in no chunk (leaf -1).
  function touch(leaf, caret) {
    if (leaf >= 0) { select(leaf, { caret }); return; }
    self.caret = caret;
    editor.placeCaret();
    report();
  }

  function drawCard() {
    const { model, selected } = self, card = self.data.card;
    told = JSON.stringify(card);
    drawChunk(model, selected, find(".chunk-facts"), actions, card, (look.edits.get(selected) || []).map(({ words }) => words));
  }

  // A state value, not a trigger: the report of the selected chunk follows at once and could replace a trigger.
  const turn = (page) => self.tell.setStateValue("turn", [self.model.version, page, Date.now()]);
  const actions = {
    step: (by) => select(self.selected < 0 ? inView() : Math.min(self.model.leaves.length - 1, Math.max(0, self.selected + by)), { scroll: true }),
    touch: (index) => select(index),
    go: (index) => select(index, { scroll: true }),
    find: (words) => findBar.open(words),
    jump,
    turn,
    show: (start, end) => leap({ start, end }, false),
    follow: (index) => {
      const { target } = self.model.links[index];
      if (SAFE_LINK.test(target)) window.open(target, "_blank", "noopener,noreferrer");
      else self.tell.setStateValue("follow", [self.model.version, index, Date.now()]);
    },
    open: (place) => self.tell.setStateValue("open", [...place, Date.now()]), // a state value for the same reason as `turn`
  };
  const judge = createReaderJudge(root, self, {
    stage: find(".stage"), frame, textHost, facts: find(".gold-facts"), look, redraw: drawGold, jump,
    tell: (request) => self.tell.setStateValue("judging", request),
    chosen: () => self.model.leaves[self.selected],
  });
  const editor = createEditor(self, look, {
    frame, stage: find(".stage"), textHost, facts: find(".edit-facts"), buttons: [find(".undo"), find(".redo")], segmentNear, pointAt, jump,
    marked: judge.bar.marked, select, tell: (requests) => self.tell.setStateValue("edit", requests),
  });
  let unfit = () => {}, fitted = null;
  const unhook = hookReader(find, self, { actions, touch, findBar, textHost, frame, marked: judge.bar.marked, editor, pointAt });

  // A height in pixels makes a compact reader; 0 lets the reader end where the window does.
  function fit(height) {
    if (height === fitted) return;
    fitted = height;
    unfit();
    frame.classList.toggle("compact", height > 0);
    if (height) { frame.style.height = `${height}px`; unfit = () => {}; } else unfit = fitToWindow(frame);
  }

  function drawGold(changed) {
    redraw((index) => changed.some((gold) => gold.start < slabs[index].end && slabs[index].start < gold.end));
    drawRuler();
  }

  // Draw another text, or another cut of the same text; the latter keeps the scroll position and the selection.
  function load(model) {
    const started = performance.now(), same = self.model && self.model.textKey === model.textKey, old = slabs;
    const top = same && textHost.scrollTop > 0 ? topmost() : null;
    const held = same && editor.held() ? editor.edgeInHand() : null;
    const chosen = same && self.selected >= 0 ? leafNear(model, placeChosen()) : -1;
    const mark = same && judge.bar.marked();
    const heights = same ? new Map(old.map((slab, index) => [`${slab.start} ${slab.end} ${slab.path.length}`, scroller.heightOf(index)])) : null;
    editor.mover.end(false);
    editor.why.hide();
    self.model = model;
    self.selected = look.selected = -1;
    following = -2;
    slabs = model.slabs ??= layOut(model);
    if (!same) {
      look.focus = look.matches = self.caret = null;
      look.gold = readGold(self.data.judging.gold, model.at);
      judge.bar.mark = null;
    }
    self.selected = look.selected = chosen;
    editor.read(self.data.editing, self.data.marks);
    textHost.style.setProperty("--rails", String(Math.min(RAILS, Math.max(0, ...slabs.map((slab) => slab.path.length)))));
    const known = heights && ((index) => heights.get(`${slabs[index].start} ${slabs[index].end} ${slabs[index].path.length}`));
    scroller.load(slabs.length, known, top && keptAt(top));
    tree.load(model, same, chosen);
    drawCard();
    drawDocument(model, find(".document-facts"), actions);
    const lost = model.gaps.filter((gap) => gap.lost).length;
    find(".ruler").setAttribute("aria-label", `Map of the whole document: ${grouped(model.leaves.length)} chunks, ${grouped(model.gaps.length - lost)} places set aside, ${grouped(lost)} lost`);
    if (same) { if (chosen >= 0) sayWhere(model.leaves[chosen]); if (held !== null) editor.regrasp(held); } else findBar.reset();
    markAgain(mark);
    performance.measure("lectern.draw", { start: started });
  }

  // The offset that finds the selection again in another cut: the character clicked in it, else its first one.
  function placeChosen() {
    const leaf = self.model.leaves[self.selected];
    return self.caret !== null && self.caret >= leaf.start && self.caret < leaf.end ? self.caret : leaf.edge;
  }

  // Scroll to a span and highlight it for a moment. choose: also select its chunk.
  function leap({ start, end }, choose = true) {
    const from = self.model.at(start), leaf = leafNear(self.model, from);
    const to = from + self.model.text.slice(from, self.model.at(end)).trimEnd().length; // trailing blanks may not be drawn
    if (choose && leaf >= 0 && leaf !== self.selected) select(leaf, { caret: from });
    if (self.pageData) { jump(from); return; }
    reveal(from);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const range = rangeBetween(from, to);
      if (range) setTimeout(lightRange("lectern-flash", range), FLASH);
    }));
  }

  // Updates wait while the pointer is down in the text: redrawing would lose the click's target or the selection's start.
  const onDown = () => { pressed = true; };
  const onUp = () => setTimeout(() => { // after the click event
    const data = late;
    pressed = false;
    late = null;
    if (data) self.update(data);
  });
  textHost.addEventListener("pointerdown", onDown);
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, onUp, true);

  self.update = (data) => {
    if (pressed) { late = data; return; }
    self.data = data;
    const model = modelOf(data);
    frame.classList.toggle("waiting", !model);
    if (!model) return; // its text has not arrived yet: the SHELVED event calls again
    fit(data.height);
    const name = find(".reader-label");
    name.textContent = data.label;
    name.hidden = !data.label;
    const paged = Boolean(data.page), switched = textHost.hidden !== paged;
    self.pageData = data.page;
    textHost.hidden = paged;
    sheetHost.hidden = !paged;
    find(".ghost").hidden = paged;
    const changed = model !== self.model, other = !self.model || model.textKey !== self.model.textKey;
    const led = String([...look.leads]) !== String(data.leads);
    look.leads = new Set(data.leads);
    if (changed) load(model);
    else if (editor.read(data.editing, data.marks)) { redraw(); drawCard(); } else if (led) redraw();
    judge.update(data.judging, other);
    const arrival = [data.shelf, data.focus, data.arrival].join("|"), fresh = arrival !== arrived;
    arrived = arrival;
    if (fresh) {
      look.focus = data.focus && data.focus.map(model.at);
      if (!changed || look.focus) redraw();
    }
    const chosen = fresh ? data.selected : self.selected;
    // The report of a selection comes back as an update, which must not redraw or open parents again.
    if (chosen >= 0 && (fresh || switched)) select(chosen, { scroll: fresh && paged ? "arrived" : fresh || switched ? "always" : false, silent: true });
    else drawSheet(self, sheetHost, actions, false);
    if (JSON.stringify(data.card) !== told) drawCard();
    if (fresh && look.focus && !paged) reveal(look.focus[0]);
    if (data.jump && data.jump.count !== jumped) { jumped = data.jump.count; leap(data.jump); }
    judge.overlay(sheetHost);
    requestAnimationFrame(() => { follow(); drawRuler(); editor.placeCaret(); editor.rove(); });
  };
  const shelved = () => self.data && self.update(late || self.data);
  window.addEventListener(SHELVED, shelved);
  self.close = () => {
    window.removeEventListener(SHELVED, shelved);
    for (const end of ["pointerup", "pointercancel"]) window.removeEventListener(end, onUp, true);
    scrollGroup.members.delete(member);
    unhook();
    judge.close();
    editor.close();
    unfit();
    scroller.close();
    tree.close();
    clearTimeout(timer);
  };
  return self;
}

export default function (component) {
  const root = component.parentElement;
  const reader = mounted(root, createReader);
  reader.tell = component;
  if (component.data) reader.update(component.data);
  return unmounting(root);
}
