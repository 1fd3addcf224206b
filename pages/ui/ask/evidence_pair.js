// Two columns that scroll together: what stands at one's reading line is lit, and brought to the other's.
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

// rows: the hits' elements; cards: { card, marks } of the passages; lit(hit): to light a hit.
function pairColumns(left, right, lit) {
  let rows = [], cards = [], leader = null, asked = 0;

  // The line one reads at: at the top of a column that is not scrolled, at its foot when it is scrolled to the end.
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

  // Scroll so that the element begins a little below the column's top, unless it does already.
  function bring(host, element) {
    const box = host.getBoundingClientRect(), place = element.getBoundingClientRect();
    // The column may reach below the window, so its lower half does not count as seen.
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
    host.addEventListener("keydown", (event) => { if (host === right || event.key.startsWith("Page")) leader = host; }); // arrows choose a hit
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
    follow: () => { leader = null; }, // what scrolls now was not scrolled by hand
    close: () => cancelAnimationFrame(asked),
  };
}
