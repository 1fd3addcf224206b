// Clicks and keys of the reader.
function isTyping(event) {
  const target = event.composedPath()[0];
  if (!target || !target.matches || !target.matches("input:not([type=checkbox]), textarea, select, [contenteditable=true]")) return false;
  // A closed picker that keeps the focus does not take keys.
  return target.getAttribute("aria-expanded") !== "false";
}

// Add the listeners. Returns a function that removes them. marked(): whether words are marked: the click that ends the
// marking selects no chunk. touch(leaf, place): called for a click.
function hookReader(find, self, { actions, touch, findBar, textHost, frame, marked, editor, pointAt }) {
  textHost.addEventListener("click", (event) => {
    if (marked() || !self.model) return;
    const link = event.target.closest("[data-link]");
    if (link) { actions.follow(Number(link.dataset.link)); return; }
    const edge = event.target.closest("[data-edge]"), place = event.target.closest("[data-leaf]");
    if (edge) { touch(Number(edge.dataset.edge), null); return; }
    const caret = event.target.closest("[data-leaf], [data-gap]") ? pointAt(event.clientX, event.clientY) : -1;
    if (place || caret >= 0) touch(place ? Number(place.dataset.leaf) : -1, caret < 0 ? null : caret);
  });
  textHost.addEventListener("keydown", (event) => {
    const link = event.key === "Enter" && event.target.closest("[data-link]");
    if (link) actions.follow(Number(link.dataset.link));
  });
  find(".ghost-box").addEventListener("change", (event) => textHost.classList.toggle("ghosts", event.target.checked));
  find(".find-open").addEventListener("click", () => findBar.open());
  find(".keys-open").addEventListener("click", () => window.dispatchEvent(new Event("lectern-keys")));
  const legend = find(".legend"), opener = find(".legend-open");
  const toggle = (open) => { legend.hidden = !open; opener.setAttribute("aria-expanded", String(open)); };
  opener.addEventListener("click", () => toggle(legend.hidden));
  find(".foot").addEventListener("keydown", (event) => { if (event.key === "Escape") { toggle(false); opener.focus(); } });

  const onKey = (event) => {
    if (!self.model || event.defaultPrevented) return;
    const path = event.composedPath(), mine = path.includes(frame) || (path[0] === document.body && self.leads());
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "f" && mine) {
      event.preventDefault();
      findBar.open();
      return;
    }
    if (event.altKey || isTyping(event) || document.querySelector("[role=dialog]")) return;
    if (mine && editor.key(event, path)) { event.preventDefault(); return; }
    if (event.ctrlKey || event.metaKey || !(mine || path[0] !== document.body)) return;
    if (event.key === "[" || event.key === "]") {
      event.preventDefault();
      if (path[0] === document.body) textHost.focus({ preventScroll: true }); // Tab then continues from the chunk
      actions.step(event.key === "[" ? -1 : 1);
    }
    if (event.key === "f") { event.preventDefault(); findBar.open(); }
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

// Keep the reader's lower edge at the window's. Returns a function that ends this.
function fitToWindow(frame) {
  const fit = () => {
    const page = frame.getRootNode().host?.closest("[data-testid=stMain]"); // null if the reader was removed before a late call
    const top = frame.getBoundingClientRect().top + (page ? page.scrollTop : 0);
    frame.style.height = `max(30rem, calc(100vh - ${Math.round(top)}px - 1.25rem))`;
  };
  const above = document.querySelector("[data-testid=stMainBlockContainer]") || document.body;
  const watcher = new ResizeObserver(fit);
  watcher.observe(above);
  window.addEventListener("resize", fit);
  fit();
  return () => { watcher.disconnect(); window.removeEventListener("resize", fit); };
}
