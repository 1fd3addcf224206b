// Virtual scrolling: only the slabs around the view are in the page, and two spacers take the room of the others. A
// slab's height is estimated until it is drawn. When a slab above the view gets its real height, the browser's scroll
// anchoring keeps the view in place; browsers without it get the difference added to scrollTop.
const ANCHORS = CSS.supports("overflow-anchor", "auto");
const MOST_HELD = 40; // most slabs kept in the page for a selection

// held(): the first and last slab of the text selection, which stay in the page; null without one.
function createScroller(host, { draw, estimate, moved, held }) {
  const above = make("div", "space"), below = make("div", "space");
  let count = 0, heights = new Float64Array(0), tops = new Float64Array(1);
  let first = 0, elements = [], wanted = null, reached = null, columns = 0;

  const last = () => first + elements.length - 1;
  const reach = () => Math.max(900, host.clientHeight);
  const settle = () => { for (let index = 0; index < count; index += 1) tops[index + 1] = tops[index] + heights[index]; };
  const indexAt = (y) => Math.min(count - 1, Math.max(0, firstNotBelow(tops, y + 0.5) - 1));
  const elementOf = (index) => elements[index - first];

  function space() {
    above.style.height = `${tops[first]}px`;
    below.style.height = `${tops[count] - tops[last() + 1]}px`;
  }

  function remove(element) { watcher.unobserve(element); element.remove(); }
  function clear() { elements.forEach(remove); elements = []; }

  function insert(index, atEnd) {
    const element = draw(index);
    element.dataset.slab = String(index);
    if (atEnd) { below.before(element); elements.push(element); } else { above.after(element); elements.unshift(element); first = index; }
    watcher.observe(element);
  }

  function fill(from, to) {
    const near = held() ? MOST_HELD : 1; // keep the slabs of a selection, up to a limit
    if (elements.length && (from > last() + near || to < first - near)) clear();
    if (!elements.length) { first = from; insert(from, true); }
    const before = first;
    while (first > from) insert(first - 1, false);
    while (last() < to) insert(last() + 1, true);
    space();
    let grown = 0;
    elements.forEach((element, offset) => {
      const { height } = element.getBoundingClientRect();
      if (!height) return; // not laid out while the reader is hidden
      if (first + offset < before) grown += height - heights[first + offset];
      heights[first + offset] = height;
    });
    settle();
    space();
    if (grown && !ANCHORS) host.scrollTop += grown;
  }

  function render() {
    if (!count || !host.clientHeight) return;
    const top = host.scrollTop, bottom = top + host.clientHeight, far = reach();
    const from = indexAt(top - far), to = indexAt(bottom + far);
    if (!elements.length || from < first || to > last()) fill(from, to);
    const [low, high] = held() || [count, -1];
    while (elements.length > 1 && tops[first + 1] < top - 2 * far && first < low) { remove(elements.shift()); first += 1; }
    while (elements.length > 1 && tops[last()] > bottom + 2 * far && last() > high) remove(elements.pop());
    space();
  }

  // Slabs also change height without being drawn: when fonts arrive, prefixes are shown or the window is resized.
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const index = Number(target.dataset.slab);
      if (elementOf(index) === target && target.offsetHeight) heights[index] = target.getBoundingClientRect().height;
    }
    settle();
  });
  const sized = new ResizeObserver(() => {
    const now = Math.max(20, Math.floor((Math.min(host.clientWidth, 860) - 130) / 7.4));
    if (now !== columns && count) { columns = now; guess(); space(); }
    render();
    // After a resize without scrolling in between, bring the last target back into view.
    const aim = wanted || reached;
    if (aim) bring(aim.index, aim.locate);
    moved();
  });
  sized.observe(host);

  function guess(known) {
    for (let index = 0; index < count; index += 1) if (!elementOf(index)) heights[index] = (known && known(index)) || estimate(index, columns || 70);
    settle();
  }

  // Scroll at once so that the box `locate(element)` of a slab is `y` pixels below the view's top.
  function align(index, locate, y) {
    if (!count || !host.clientHeight) return;
    wanted = reached = null;
    if (!elementOf(index)) { host.scrollTop = tops[index] - y; fill(Math.max(0, index - 1), Math.min(count - 1, index + 1)); }
    for (let round = 0; round < 2; round += 1) {
      const by = locate(elementOf(index)).top - host.getBoundingClientRect().top - y;
      if (Math.abs(by) >= 0.5) host.scrollTop += by;
      render();
    }
  }

  // Scroll to a place in a slab, repeated for a few frames while fonts and layout may still move it.
  function bring(index, locate) {
    const aim = { index, locate };
    wanted = aim;
    reached = null;
    let calm = 0, frames = 0;
    const go = () => {
      if (wanted !== aim) return;
      if (!host.clientHeight) { frames += 1; if (frames < 90) requestAnimationFrame(go); return; }
      if (!elementOf(index)) { host.scrollTop = tops[index]; fill(Math.max(0, index - 1), Math.min(count - 1, index + 1)); }
      const place = (locate(elementOf(index)) || elementOf(index)).getBoundingClientRect(), box = host.getBoundingClientRect();
      const before = host.scrollTop;
      host.scrollTop += place.top - box.top - box.height * 0.28;
      render();
      calm = Math.abs(host.scrollTop - before) < 1 ? calm + 1 : 0;
      frames += 1;
      if (calm < 4 && frames < 60) requestAnimationFrame(go); else { wanted = null; reached = aim; moved(); }
    };
    go();
  }

  let waiting = false;
  host.addEventListener("scroll", () => {
    render();
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; moved(); });
  }, { passive: true });
  for (const touch of ["wheel", "pointerdown", "touchmove", "keydown"]) host.addEventListener(touch, () => { wanted = reached = null; }, { passive: true });

  return {
    bring, elementOf,
    align,
    bringing: () => Boolean(wanted),
    heightOf: (index) => heights[index],
    // Start with this number of slabs, scrolled to the top or to `kept`: { index, locate, y }, as for `align`.
    // known(index): the height of a slab if it is known, else undefined.
    load(slabs, known, kept) {
      clear();
      first = 0;
      wanted = reached = null;
      count = slabs;
      heights = new Float64Array(count);
      tops = new Float64Array(count + 1);
      host.replaceChildren(above, below);
      guess(known);
      if (kept && host.clientHeight) { space(); align(kept.index, kept.locate, kept.y); return; }
      host.scrollTop = 0;
      if (count) render();
    },
    // Draw the slabs in the page again, in place. wanted(index): which of them.
    redraw(wanted = () => true) {
      elements = elements.map((old, offset) => {
        if (!wanted(first + offset)) return old;
        const element = draw(first + offset);
        element.dataset.slab = String(first + offset);
        watcher.unobserve(old);
        old.replaceWith(element);
        watcher.observe(element);
        return element;
      });
    },
    drawn: () => elements.map((element, offset) => [first + offset, element]),
    // [index of the slab, fraction of its height] at `y` pixels below the view's top.
    at(y) {
      const index = indexAt(host.scrollTop + y);
      return [index, Math.min(1, Math.max(0, (host.scrollTop + y - tops[index]) / (heights[index] || 1)))];
    },
    close() { watcher.disconnect(); sized.disconnect(); wanted = reached = null; },
  };
}
