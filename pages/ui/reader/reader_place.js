// Maps offsets to positions on the screen and back. A segment is { start, end, element }: its element shows exactly the
// text of [start, end), so that offsets are counted, never found by searching.
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const SENTENCES = new Intl.Segmenter(undefined, { granularity: "sentence" });

// The DOM range of the unit at an offset of a segment; of both units of a surrogate pair.
function rangeOf({ element, start }, position) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
  let left = position - start, node = null;
  for (let next = walker.nextNode(); next; next = walker.nextNode()) {
    node = next;
    if (left < next.length) break;
    left -= next.length;
  }
  if (!node) { range.selectNode(element); return range; }
  const from = Math.max(0, Math.min(left, node.length - 1));
  range.setStart(node, from);
  range.setEnd(node, Math.min(node.length, from + (node.data.codePointAt(from) > 0xffff ? 2 : 1)));
  return range;
}

// The box of a character; a line end has none and gets the right edge of the character before it.
function boxAt(segment, position) {
  for (let at = Math.min(position, segment.end - 1); at >= segment.start; at -= 1) {
    const boxes = rangeOf(segment, at).getClientRects(), box = boxes[boxes.length - 1];
    if (box && box.height) return at === position ? box : new DOMRect(box.right, box.top, 0, box.height);
  }
  return segment.element.getBoundingClientRect();
}

// The first character of a segment whose box ends below a height, by binary search, since lines are in order.
function firstBelow(segment, y) {
  let low = segment.start, high = segment.end - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxAt(segment, middle).bottom > y) high = middle; else low = middle + 1;
  }
  return low;
}

// The offset nearest to a point among segments; -1 without segments.
function nearestPlace(segments, x, y) {
  let best = null, least = Infinity;
  for (const segment of segments) {
    for (const box of segment.element.getClientRects()) {
      const away = (value, low, high) => Math.max(low - value, value - high, 0);
      const far = away(y, box.top, box.bottom) * 1000 + away(x, box.left, box.right);
      if (far < least) { least = far; best = { segment, line: Math.min(Math.max(y, box.top + 1), box.bottom - 1) }; }
    }
  }
  if (!best) return -1;
  const { segment, line } = best;
  let place = -1, nearest = Infinity;
  for (let at = firstBelow(segment, line); at < segment.end; at += 1) {
    const box = boxAt(segment, at);
    if (box.top > line) break;
    for (const [edge, to] of [[box.left, at], [box.right, at + 1]]) {
      if (Math.abs(edge - x) < nearest) { nearest = Math.abs(edge - x); place = to; }
    }
  }
  return place < 0 ? segment.start : place;
}

// The starts of words or sentences near an offset, in order.
function beginnings(text, position, sentences) {
  const room = sentences ? 3000 : 240, near = (from, to) => text.slice(Math.max(0, from), to);
  const before = near(position - room, position), skip = position > room ? Math.max(0, before.search(/\s/)) : 0;
  const from = position - before.length + skip;
  const shown = near(from, position + room).replace(/([^\n])\n(?!\n)/g, "$1 "); // a line wrapped by hand ends no sentence
  const found = [];
  let wasWord = false;
  for (const { segment, index, isWordLike } of (sentences ? SENTENCES : WORDS).segment(shown)) {
    const blank = !segment.trim();
    const begins = sentences || index + from === 0 || /\s/.test(text[from + index - 1]) || (isWordLike && wasWord);
    if (!blank && begins) found.push(afterBlanks(text, from + index));
    wasWord = Boolean(isWordLike);
  }
  return found;
}

// The next start of a word or sentence in a direction (1 or -1); the offset itself without one.
function stepFrom(text, position, by, sentences) {
  const found = beginnings(text, position, sentences);
  const next = by > 0 ? found.find((at) => at > position) : found.findLast((at) => at < position);
  return next ?? position;
}

// The start of a word nearest to an offset.
function snapped(text, position) {
  return beginnings(text, position, false).reduce((best, at) => (Math.abs(at - position) < Math.abs(best - position) ? at : best), Infinity);
}

// Highlight a range. Returns what ends it. CSS highlights leave the DOM unchanged.
function lightRange(name, range) {
  if (!window.CSS || !CSS.highlights || !range) return () => {};
  const lit = CSS.highlights.get(name) || new Highlight();
  lit.add(range);
  CSS.highlights.set(name, lit);
  return () => lit.delete(range);
}
