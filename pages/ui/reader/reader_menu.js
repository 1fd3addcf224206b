// A context menu: actions with their keys.
function createMenu(stage) {
  const box = make("div", "edit-menu");
  box.setAttribute("role", "menu");
  box.setAttribute("aria-label", "Edit the cut");
  box.hidden = true;
  stage.append(box);
  let before = null;
  const entries = () => [...box.querySelectorAll("[role=menuitem]:not(:disabled)")];
  const shut = (back = true) => {
    if (box.hidden) return;
    box.hidden = true;
    box.replaceChildren();
    if (back && before && before.isConnected) before.focus({ preventScroll: true });
  };
  const onDown = (event) => { if (!event.composedPath().includes(box)) shut(false); };
  window.addEventListener("pointerdown", onDown, true);
  box.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const all = entries(), here = all.indexOf(box.getRootNode().activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) { event.preventDefault(); all[(to + all.length) % all.length].focus(); }
    if (event.key === "Escape" || event.key === "Tab") { event.preventDefault(); shut(); }
  });
  return {
    shut,
    open: () => !box.hidden,
    // items: { words, key, act, off }. beside: a box of the window. back: the element that gets the focus afterwards.
    show(items, beside, back) {
      before = back;
      box.replaceChildren(...items.map(({ words, key, act, off }) => {
        const item = make("button", "");
        item.setAttribute("role", "menuitem");
        item.append(make("span", "", words), make("kbd", "", key));
        item.disabled = Boolean(off);
        item.onclick = () => { shut(); act(); };
        return item;
      }));
      box.hidden = false;
      putBeside(box, stage, beside);
      entries()[0]?.focus();
    },
    close: () => window.removeEventListener("pointerdown", onDown, true),
  };
}
