// Moving a boundary with the mouse or with the arrow keys on its handle. It snaps to words. `commit(index, to)` requests
// the change from Python. on(): whether editing is on.
const CLICK_ROOM = 4; // pixels a pointer may move before it drags
const SCROLL_EDGE = 36; // pixels from the view's edge within which dragging scrolls the text

function createMover(self, stage, host, { on, pointAt, segmentNear, commit, began }) {
  const bar = make("i", "move-bar"), label = make("span", "move-label"), said = make("span", "said-aloud");
  said.setAttribute("aria-live", "polite");
  bar.hidden = label.hidden = true;
  stage.append(bar, label, said);
  let move = null, unlight = () => {}, frame = 0;

  const spare = () => { // the offsets between which the boundary may move
    const { leaves } = self.model;
    return [leaves[move.index - 1].edge + 1, leaves[move.index].end - 1];
  };

  function words() {
    const { text } = self.model, low = Math.min(move.from, move.to), high = Math.max(move.from, move.to);
    if (low === high) return "where it was";
    const many = text.slice(low, high).trim().split(/\s+/).length;
    return `${grouped(many)} ${many === 1 ? "word" : "words"} ${move.to > move.from ? "later" : "earlier"}`;
  }

  function draw() {
    unlight();
    const segment = segmentNear(move.to), box = segment && boxAt(segment, move.to), frame = stage.getBoundingClientRect();
    const seen = box && box.bottom > frame.top && box.top < frame.bottom;
    bar.hidden = label.hidden = !seen;
    if (seen) {
      Object.assign(bar.style, { left: `${box.left - frame.left - 1}px`, top: `${box.top - frame.top - 2}px`, height: `${box.height + 4}px` });
      label.textContent = `Chunk ${move.index + 1} begins ${words()} · ${move.dragging ? "let go to move" : "Enter moves"}, Esc cancels`;
      putBeside(label, stage, box);
    }
    const first = segmentNear(Math.min(move.from, move.to)), last = segmentNear(Math.max(move.from, move.to) - 1);
    if (move.from === move.to || !first || !last) return;
    const range = document.createRange(), begin = rangeOf(first, Math.max(first.start, Math.min(move.from, move.to)));
    const finish = rangeOf(last, Math.min(last.end - 1, Math.max(move.from, move.to) - 1));
    range.setStart(begin.startContainer, begin.startOffset);
    range.setEnd(finish.endContainer, finish.endOffset);
    unlight = lightRange("lectern-move", range);
  }

  function aim(to) {
    const [low, high] = spare();
    if (to < low || to > high) return;
    move.to = to;
    draw();
  }

  function end(keep) {
    if (!move) return;
    const { index, from, to } = move;
    move = null;
    cancelAnimationFrame(frame);
    unlight();
    bar.hidden = label.hidden = true;
    stage.classList.remove("moving");
    if (keep && to !== from) commit(index, to);
  }

  const begin = (index, dragging) => {
    const from = self.model.leaves[index].edge;
    move = { index, from, to: from, dragging };
    began();
  };

  host.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-edge]"), index = handle ? Number(handle.dataset.edge) : 0;
    if (!index || event.button || !on()) return;
    event.preventDefault(); // dragging must not select text
    handle.focus({ preventScroll: true });
    const { clientX, clientY, pointerId } = event;
    let point = null;
    const follow = () => {
      frame = requestAnimationFrame(follow);
      const box = host.getBoundingClientRect(), past = point.y < box.top + SCROLL_EDGE ? -1 : point.y > box.bottom - SCROLL_EDGE ? 1 : 0;
      if (past) host.scrollTop += past * 9;
      if (!past && !point.fresh) return;
      point.fresh = false;
      const place = pointAt(point.x, point.y);
      if (place >= 0) aim(snapped(self.model.text, place));
    };
    const drag = (moved) => {
      if (moved.pointerId !== pointerId) return;
      if (!point && Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < CLICK_ROOM) return;
      const starts = !point;
      point = { x: moved.clientX, y: moved.clientY, fresh: true };
      if (!starts) return;
      begin(index, true);
      stage.classList.add("moving");
      follow();
    };
    const listening = [["pointermove", drag], ["pointerup", () => finish(true)], ["pointercancel", () => finish(false)], ["blur", (left) => { if (left.target === window) finish(false); }]];
    const finish = (keep) => {
      for (const [name, act] of listening) window.removeEventListener(name, act, true);
      window.removeEventListener("keydown", cancel, true);
      if (!point) return;
      if (keep && move && point.fresh) { const place = pointAt(point.x, point.y); if (place >= 0) aim(snapped(self.model.text, place)); }
      end(keep);
    };
    const cancel = (key) => { if (key.key === "Escape" && point) { key.preventDefault(); key.stopPropagation(); finish(false); } };
    for (const [name, act] of listening) window.addEventListener(name, act, true);
    window.addEventListener("keydown", cancel, true);
  });
  host.addEventListener("focusout", () => { if (move && !move.dragging) end(false); });

  return {
    busy: () => Boolean(move),
    // Handle a key on a handle. Returns whether it was a key of moving.
    key(event, index) {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by) {
        if (!move) begin(index, false);
        aim(stepFrom(self.model.text, move.to, by, event.shiftKey));
        said.textContent = `Chunk ${index + 1} would begin ${words()}, at “${self.model.text.slice(move.to, move.to + 40).split("\n")[0]}”. Enter moves, Escape cancels.`;
        return true;
      }
      if (!move || !["Enter", "Escape"].includes(event.key)) return false;
      end(event.key === "Enter");
      return true;
    },
    end,
    redraw: () => { if (move) draw(); },
  };
}
