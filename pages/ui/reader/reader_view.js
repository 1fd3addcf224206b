// Maps offsets in the text to positions in the window and back. slabs(): the present slabs. sketches: a slab's element ->
// its segments, in order.
function createView(host, scroller, slabs, sketches) {
  function slabOf(position) { // the last slab that begins at or before the position
    let low = 0, high = slabs().length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slabs()[middle].start < position + 1) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  }

  const holding = (segments, position) => segments.find(({ end }) => end > position) || segments[segments.length - 1] || null;
  const segmentsOf = (element) => sketches.get(element).segments;

  // The box of a character, as a `locate` function for the scroller.
  const placeOf = (position) => (element) => {
    const segment = holding(segmentsOf(element), position);
    return segment ? boxAt(segment, Math.max(position, segment.start)) : element.getBoundingClientRect();
  };

  return {
    slabOf,
    segmentAt: (element, position) => holding(segmentsOf(element), position)?.element,
    // The drawn segment that contains a position, or the next one in its slab; null if its slab is not drawn.
    segmentNear(position) {
      const element = slabs().length ? scroller.elementOf(slabOf(position)) : null;
      return element ? holding(segmentsOf(element), position) : null;
    },
    // The offset at a point of the window, -1 without text near it.
    pointAt(x, y) {
      const drawn = scroller.drawn().map(([, element]) => element);
      const near = drawn.filter((element) => { const box = element.getBoundingClientRect(); return box.top <= y && box.bottom >= y; });
      return nearestPlace((near.length ? near : drawn).flatMap(segmentsOf), x, y);
    },
    // The first character in view and its distance from the upper edge in pixels; null without one.
    topmost() {
      if (host.hidden || !host.clientHeight) return null;
      const edge = host.getBoundingClientRect().top;
      for (const [, element] of scroller.drawn()) {
        if (element.getBoundingClientRect().bottom <= edge) continue;
        for (const segment of segmentsOf(element)) {
          if (segment.element.getBoundingClientRect().bottom <= edge + 1) continue;
          const position = firstBelow(segment, edge + 1);
          return { position, y: boxAt(segment, position).top - edge };
        }
      }
      return null;
    },
    // A position and its distance from the upper edge, as arguments for the scroller's `align`.
    keptAt: ({ position, y }) => ({ index: slabOf(position), locate: placeOf(position), y }),
    // The first and last offset in view, exact to the line.
    seen() {
      const all = slabs();
      if (host.hidden || !all.length || !host.clientHeight) return null;
      return [0, host.clientHeight].map((y) => {
        const [index, share] = scroller.at(y);
        return all[index].start + share * (all[index].end - all[index].start);
      });
    },
  };
}
