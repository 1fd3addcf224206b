// Two columns that scroll together: the hit at the reading line of one is highlighted and scrolled to in the other.
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

// lit(hit): called to highlight a hit. rows: the hits' elements; cards: { card, marks } of the passages.
function pairColumns(left, right, lit) {
  let rows = [], cards = [], leader = null, asked = 0;

  // The reading line moves from the top of a column to its foot as the column is scrolled to its end.
  const line = (host) => {
    const most = host.scrollHeight - host.clientHeight;
    return host.getBoundingClientRect().top + host.clientHeight * (most > 0 ? Math.min(0.9, Math.max(0.08, host.scrollTop / most)) : 0.08);
  };

  function hitAtLine(host) {
    const y = line(host);
    if (host === left) return rows.findIndex((row) => row.getBoundingClientRect().bottom > y);
    let best = -1, least = Infinity;
    for (const { marks } of cards) {
      for (const [hit, mark] of marks) {
        const box = mark.getBoundingClientRect(), off = Math.max(box.top - y, y - box.bottom, 0);
        if (off < least) { least = off; best = hit; }
      }
    }
    return best;
  }

  // Scroll until the element begins a little below the column's top, unless it is in the upper half already.
  function bring(host, element) {
    const box = host.getBoundingClientRect(), place = element.getBoundingClientRect();
    // The column may extend below the window, so its lower half does not count as visible.
    if (place.top >= box.top + 30 && place.top <= box.top + box.height * 0.5) return;
    host.scrollBy({ top: place.top - box.top - 60, behavior: CALM.matches ? "auto" : "smooth" });
  }

  function onScroll(host) {
    if (leader !== host || asked) return;
    asked = requestAnimationFrame(() => {
      asked = 0;
      const hit = hitAtLine(host);
      if (hit >= 0) lit(hit, host);
    });
  }

  for (const host of [left, right]) {
    for (const touch of ["wheel", "pointerdown", "touchstart"]) host.addEventListener(touch, () => { leader = host; }, { passive: true });
    host.addEventListener("keydown", (event) => { if (host === right || event.key.startsWith("Page")) leader = host; }); // in the left column arrow keys select a hit instead
    host.addEventListener("scroll", () => onScroll(host), { passive: true });
  }
  return {
    load(newRows, newCards) {
      rows = newRows;
      cards = newCards;
      leader = null;
      left.scrollTop = right.scrollTop = 0;
    },
    bring,
    follow: () => { leader = null; }, // the next scroll is not the user's
    close: () => cancelAnimationFrame(asked),
  };
}
