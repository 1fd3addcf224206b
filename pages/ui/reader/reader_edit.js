// Edits of chunks in the text. Each is a request to Python, with offsets in code points; Python answers with a new cut.
// data: { edits, conflicts, notice, can_undo, can_redo, off }, or null if the cut cannot be edited.
const NO_EDITS = { edits: [], conflicts: [], notice: null, can_undo: false, can_redo: false, off: "shown only" };
const EDIT_KEYS = { merge: "m", split: "s", disable: "d", pin: "p", undo: "Ctrl Z", redo: "Shift Ctrl Z" };

// look: the slabs' state, as in reader_text.js. tools: { frame, stage, textHost, facts, buttons, segmentNear, pointAt, redraw, jump, tell }.
function createEditor(self, look, tools) {
  const { stage, textHost, segmentNear } = tools, menu = createMenu(stage), caretBar = make("i", "caret-bar"), sent = [];
  const notice = createNotice(stage, (request) => { if (request.do === "undo") ask("undo"); }, "edit-notice");
  let data = NO_EDITS, heard = "", refocus = null, complaints = 0, line = 0;
  caretBar.hidden = true;
  stage.append(caretBar);
  const on = () => !data.off;
  const why = createWhy(self, stage, textHost, () => (on() ? "Drag it, or ← → to move it · m merges · right click for more" : ""));
  const mover = createMover(self, stage, textHost, {
    on, segmentNear, pointAt: tools.pointAt, began: why.hide,
    commit: (index, to) => { refocus = to; ask("move", { ...around(index), to: self.model.source.point(to) }); },
  });

  function ask(kind, places = {}) {
    sent.push({ shelf: self.model.key, kind, ...places, count: `${Date.now()}.${sent.length}` });
    tools.tell(sent.slice(-8));
  }
  // Show a notice for an edit that cannot be requested. Its serial differs from those of Python's notices.
  const complain = (text) => notice.update({ serial: `here ${complaints += 1}`, text, undo: false, wrong: true });

  const around = (index) => {
    const { leaves, source } = self.model;
    return { at: source.point(leaves[index].edge), start: leaves[index - 1].points[0], end: leaves[index].points[1] };
  };
  const spanOfLeaf = (leaf) => ({ start: leaf.points[0], end: leaf.points[1] });
  const leafAt = (index) => (index >= 0 ? self.model.leaves[index] : null);

  const acts = {
    merge(index) {
      if (!(index > 0)) { complain("Choose a boundary first: merging joins the chunk before it and the one behind it."); return; }
      refocus = self.model.leaves[index].edge;
      ask("merge", around(index));
    },
    split(place) {
      if (place === null) { complain("Click into the text first: the chunk is split at that word."); return; }
      const at = snapped(self.model.text, place), leaf = leafAt(leavesAt(self.model, at).at(-1) ?? -1);
      if (!leaf || at <= leaf.edge || at >= leaf.end) { complain("A chunk is split at a word inside it, not at its beginning or outside."); return; }
      refocus = at;
      ask("split", { at: self.model.source.point(at), ...spanOfLeaf(leaf) });
    },
    disable(index, gap = -1) {
      if (gap >= 0) ask("disable", spanOfLeaf(self.model.gaps[gap]));
      else if (leafAt(index)) ask("disable", spanOfLeaf(leafAt(index)));
      else complain("Choose a chunk first.");
    },
    pin(index) { if (leafAt(index)) ask("pin", spanOfLeaf(leafAt(index))); else complain("Choose a chunk first."); },
    undo() { if (data.can_undo) ask("undo"); else complain("There is nothing to undo."); },
    redo() { if (data.can_redo) ask("redo"); else complain("There is nothing to redo."); },
  };
  const pinned = (index) => (look.edits.get(index) || []).some(({ kind }) => kind === "pin");
  const offAt = (place) => {
    const gap = place === null ? -1 : holderOf(self.model.gaps, self.model.gapStarts, place);
    return gap >= 0 && self.model.gaps[gap].off ? gap : -1;
  };

  // The menu's items. index: a boundary's second chunk, 0 for none. leaf: the chunk pointed at. place: the offset there.
  function items(index, leaf, place) {
    const gap = offAt(place), list = [];
    if (index > 0) {
      list.push({ words: `Merge chunks ${index} and ${index + 1}`, key: EDIT_KEYS.merge, act: () => acts.merge(index) });
      list.push({ words: "Move the boundary", key: "← →", act: () => focusEdge(index) });
    } else if (gap < 0 && place !== null) list.push({ words: "Split here", key: EDIT_KEYS.split, act: () => acts.split(place) });
    if (leaf >= 0 || gap >= 0) {
      list.push({ words: gap >= 0 ? "Switch on again" : `Switch chunk ${leaf + 1} off`, key: EDIT_KEYS.disable, act: () => acts.disable(leaf, gap) });
    }
    if (leaf >= 0) list.push({ words: `${pinned(leaf) ? "Unpin" : "Pin"} chunk ${leaf + 1}`, key: EDIT_KEYS.pin, act: () => acts.pin(leaf) });
    list.push({ words: "Undo", key: EDIT_KEYS.undo, act: acts.undo, off: !data.can_undo });
    list.push({ words: "Redo", key: EDIT_KEYS.redo, act: acts.redo, off: !data.can_redo });
    return list;
  }

  textHost.addEventListener("contextmenu", (event) => {
    if (!on() || !self.model || event.shiftKey || tools.marked()) return; // marked words get the browser's own menu, for copying
    const handle = event.target.closest("[data-edge]"), owner = event.target.closest("[data-leaf], [data-gap]");
    if (!handle && !owner) return;
    event.preventDefault();
    why.hide();
    const byKey = !event.clientX && !event.clientY, place = handle || byKey ? null : tools.pointAt(event.clientX, event.clientY);
    const index = handle ? Number(handle.dataset.edge) : 0;
    const leaf = handle ? index : place !== null && place >= 0 ? leavesAt(self.model, place).at(-1) ?? -1 : -1;
    const beside = handle ? handle.getBoundingClientRect() : new DOMRect(event.clientX, event.clientY, 0, 0);
    menu.show(items(index, leaf, place), beside, handle || textHost);
  });
  const [undo, redo] = tools.buttons;
  undo.onclick = () => acts.undo();
  redo.onclick = () => acts.redo();

  function focusEdge(index) { textHost.querySelector(`[data-edge="${index}"]`)?.focus({ preventScroll: true }); }

  // Roving tabindex: Tab reaches one handle in view, the selected chunk's if possible; arrow up and down reach the
  // others.
  function rove() {
    const handles = [...textHost.querySelectorAll("[data-edge]")], frame = textHost.getBoundingClientRect();
    if (!handles.length || handles.some((handle) => handle === handle.getRootNode().activeElement)) return;
    const seen = handles.filter((handle) => handle.getBoundingClientRect().bottom > frame.top);
    const own = seen.find((handle) => Number(handle.dataset.edge) === self.selected && handle.getBoundingClientRect().top < frame.bottom);
    const first = own || seen[0] || handles[0];
    for (const handle of handles) handle.tabIndex = handle === first ? 0 : -1;
  }

  function placeCaret() {
    const segment = on() && self.caret !== null && !textHost.hidden && segmentNear(self.caret);
    const box = segment && segment.start <= self.caret && boxAt(segment, self.caret), whole = stage.getBoundingClientRect();
    caretBar.hidden = !box || box.top < whole.top || box.bottom > whole.bottom;
    if (!caretBar.hidden) Object.assign(caretBar.style, { left: `${box.left - whole.left - 1}px`, top: `${box.top - whole.top}px`, height: `${box.height}px` });
  }

  function drawFacts() {
    const { edits, conflicts } = data, parts = [];
    for (const words of conflicts) parts.push(warning(words, "verdict lost"));
    for (const [kind, start, end, words] of edits.slice(0, SHOWN_ROWS)) {
      const row = make("button", "edit-row"), name = make("span", "");
      name.append(kind === "pin" ? icon("keep") : make("b", "dot"), ` ${words}`);
      row.append(name, make("i", "", self.model.text.slice(self.model.at(start), self.model.at(Math.max(end, start + 60))).trim().slice(0, 60)));
      row.onclick = () => tools.jump(self.model.at(start));
      parts.push(row);
    }
    if (!parts.length) { tools.facts.replaceChildren(); return; }
    const title = conflicts.length ? `Edits · ${grouped(edits.length)}, ${grouped(conflicts.length)} no longer fit` : `Edits · ${grouped(edits.length)}`;
    tools.facts.replaceChildren(folded(title, [...parts, ...more(edits.length)], true, "edits"));
  }

  return {
    why, mover, placeCaret, rove,
    // Read the edits and compared cuts, before slabs are drawn. Returns whether they changed.
    read(told, marks) {
      data = told || NO_EDITS;
      const now = JSON.stringify([data.edits, data.conflicts, marks, self.model.key]), changed = now !== heard;
      heard = now;
      if (changed) {
        look.edits = readEdits(self.model, data.edits);
        look.marks = readMarks(self.model, marks);
        drawFacts();
      }
      textHost.classList.toggle("editable", on());
      undo.hidden = redo.hidden = !on();
      undo.disabled = !data.can_undo;
      redo.disabled = !data.can_redo;
      const serial = data.notice ? data.notice.serial : 0;
      if (serial !== line) { line = serial; notice.update(data.notice); }
      return changed;
    },
    // For a redraw: whether a handle has the focus, and giving the focus back to the handle nearest to a place.
    held: () => textHost.getRootNode().activeElement?.dataset?.edge !== undefined && textHost.contains(textHost.getRootNode().activeElement),
    regrasp(place) {
      const to = refocus ?? place;
      refocus = null;
      const { leaves } = self.model, index = leaves.reduce((best, leaf, at) => (Math.abs(leaf.edge - to) < Math.abs(leaves[best].edge - to) ? at : best), 0);
      focusEdge(index);
      why.hide();
    },
    edgeInHand: () => self.model.leaves[Number(textHost.getRootNode().activeElement.dataset.edge)]?.edge ?? 0,
    // Handle a key of the reader. Returns whether it was a key of editing.
    key(event, path) {
      const handle = path[0].closest?.("[data-edge]"), index = handle && textHost.contains(handle) ? Number(handle.dataset.edge) : -1;
      const command = event.ctrlKey || event.metaKey;
      if (event.key === "Escape" && !mover.busy() && why.shown()) { why.hide(); return true; }
      if (index >= 0 && !command && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
        const handles = [...textHost.querySelectorAll("[data-edge]")], next = handles[handles.indexOf(handle) + (event.key === "ArrowUp" ? -1 : 1)];
        if (next) { handle.tabIndex = -1; next.tabIndex = 0; next.focus(); }
        return true;
      }
      if (index >= 0 && event.key === "Enter" && !mover.busy()) { tools.select(index); return true; }
      if (!on()) return false;
      if (command) {
        if (event.key.toLowerCase() !== "z" || event.altKey) return false;
        if (event.shiftKey) acts.redo(); else acts.undo();
        return true;
      }
      if (index > 0 && mover.key(event, index)) return true;
      const marked = tools.marked();
      const letter = {
        m: () => acts.merge(index), s: () => acts.split(marked ? marked.start : self.caret),
        d: () => acts.disable(index >= 0 ? index : self.selected, index >= 0 ? -1 : offAt(self.caret)), p: () => acts.pin(index >= 0 ? index : self.selected),
      }[event.key];
      if (letter) letter();
      return Boolean(letter);
    },
    close() { menu.close(); why.close(); mover.end(false); },
  };
}
