// A tooltip with the reason for a boundary, while it is pointed at or has the focus; Escape hides it.
const HOVER = 110; // milliseconds before it is shown, so that a passing pointer shows nothing

// hint(): a sentence on what can be done there, "" for none.
function createWhy(self, stage, host, hint) {
  const tip = make("div", "why");
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  stage.append(tip);
  let timer = 0, shown = null;

  function fill(index) {
    const { leaves } = self.model, parts = [];
    const line = (name, words) => {
      const row = make("p", "");
      row.append(make("b", "", name), ` ${words}`);
      parts.push(row);
    };
    if (index) line(`Chunk ${index} ends`, whyOf(leaves[index - 1]).ends || "no reason was kept");
    const { begins, notes } = whyOf(leaves[index]);
    line(`Chunk ${index + 1} begins`, begins || "no reason was kept");
    for (const note of notes) parts.push(make("p", "note", note));
    if (index && hint()) parts.push(make("p", "hint", hint()));
    tip.replaceChildren(...parts);
  }

  function show(handle) {
    clearTimeout(timer);
    if (!handle.isConnected || !self.model) return;
    shown = handle;
    fill(Number(handle.dataset.edge));
    tip.hidden = false;
    putBeside(tip, stage, caught(handle));
  }
  // The handle with the gap above it, where it is caught as well: what is shown beside it must not cover that.
  const caught = (handle) => { const box = handle.getBoundingClientRect(); return new DOMRect(box.x, box.y - 12, box.width, box.height + 12); };
  const hide = () => { clearTimeout(timer); shown = null; tip.hidden = true; };
  const handleOf = (event) => event.target.closest?.("[data-edge]");
  host.addEventListener("pointerover", (event) => {
    const handle = handleOf(event);
    if (!handle || event.buttons) return;
    clearTimeout(timer);
    timer = setTimeout(() => show(handle), HOVER);
  });
  const leave = (event) => {
    if (event.relatedTarget && (tip.contains(event.relatedTarget) || event.relatedTarget === shown)) return;
    clearTimeout(timer);
    timer = setTimeout(() => { if (host.getRootNode().activeElement !== shown) hide(); }, HOVER);
  };
  host.addEventListener("pointerout", (event) => { if (handleOf(event)) leave(event); });
  tip.addEventListener("pointerenter", () => clearTimeout(timer));
  tip.addEventListener("pointerleave", leave);
  host.addEventListener("focusin", (event) => { const handle = handleOf(event); if (handle) show(handle); });
  host.addEventListener("focusout", (event) => { if (handleOf(event)) hide(); });
  host.addEventListener("scroll", () => { if (shown && !shown.isConnected) hide(); else if (shown) putBeside(tip, stage, caught(shown)); }, { passive: true });
  return { hide, shown: () => !tip.hidden, close: () => clearTimeout(timer) };
}
