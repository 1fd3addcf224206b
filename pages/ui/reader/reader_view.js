// Which part of the text stands where in the window. slabs(): as they are laid out now; sketches: a drawn slab's element ->
// its segments, in order.
function createView(host, scroller, slabs, sketches) {
  function slabOf(position) { // the last one that begins at or before it
    let low = 0, high = slabs().length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (slabs()[middle].start < position + 1) low = middle + 1; else high = middle;
    }
    return Math.max(0, low - 1);
  }

  const holding = (segments, position) => segments.find(({ end }) => end > position) || segments[segments.length - 1] || null;
  const segmentsOf = (element) => sketches.get(element).segments;

  // Where a character stands, as the scroller asks for it.
  const placeOf = (position) => (element) => {
    const segment = holding(segmentsOf(element), position);
    return segment ? boxAt(segment, Math.max(position, segment.start)) : element.getBoundingClientRect();
  };

  return {
    slabOf,
    segmentAt: (element, position) => holding(segmentsOf(element), position)?.element,
    // The drawn segment that holds a character, or the next one in its slab; null where its slab is not drawn.
    segmentNear(position) {
      const element = slabs().length ? scroller.elementOf(slabOf(position)) : null;
      return element ? holding(segmentsOf(element), position) : null;
    },
    // The character at a point of the window, -1 where no text is near.
    pointAt(x, y) {
      const drawn = scroller.drawn().map(([, element]) => element);
      const near = drawn.filter((element) => { const box = element.getBoundingClientRect(); return box.top <= y && box.bottom >= y; });
      return nearestPlace((near.length ? near : drawn).flatMap(segmentsOf), x, y);
    },
    // The first character in view and the height it stands at, from the upper edge; null for none.
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
    // A character at a height, as the scroller takes it.
    keptAt: ({ position, y }) => ({ index: slabOf(position), locate: placeOf(position), y }),
    // First and last position in view, to the line.
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
