// Maps the browser's selection to a span of the document's text. Elements that show text know their offsets, so the
// words are never searched for; numbers, labels and prefixes do not count as text.
const placed = new WeakMap(); // element -> { source, start, units }

// Register an element's text. source: { version, text, point(unit) }, where `point` gives the code point in the document.
// units: for each unit shown its offset in the text; null if the text is shown unchanged.
function setPlace(element, source, start, units = null) {
  placed.set(element, { source, start, units });
}

// The offset before a unit shown. ending: the offset after the previous unit, which differs where text is left out.
function placeOf(element, shown, ending) {
  const { start, units } = placed.get(element);
  if (!units || !units.length) return start + (units ? 0 : shown);
  return ending || shown >= units.length ? units[Math.max(0, shown - 1)] + (shown ? 1 : 0) : units[shown];
}

// The selection inside a shadow root: by getComposedRanges where the browser has it, else from the root or the document.
function selectedIn(root) {
  const selection = document.getSelection();
  if (selection.getComposedRanges) return selection.getComposedRanges({ shadowRoots: [root] })[0];
  const own = root.getSelection ? root.getSelection() : selection;
  return own.rangeCount ? own.getRangeAt(0) : null;
}

function rangeIn(root, host) {
  const found = selectedIn(root);
  if (!found || (found.startContainer === found.endContainer && found.startOffset === found.endOffset)) return null;
  const begins = found.startContainer.getRootNode() === root, ends = found.endContainer.getRootNode() === root;
  if (!begins && !ends) return null;
  const range = document.createRange(); // a selection that leaves the component ends at the host
  if (begins) range.setStart(found.startContainer, found.startOffset); else range.setStart(host, 0);
  if (ends) range.setEnd(found.endContainer, found.endOffset); else range.setEnd(host, host.childNodes.length);
  return range.collapsed ? null : range;
}

// The number of units of an element's text before a boundary of the range; `otherwise` if it is outside the element.
function shownBefore(element, node, offset, otherwise) {
  if (!element.contains(node)) return otherwise;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

const WHOLE = new Intl.Segmenter(undefined, { granularity: "word" }), NEAR = 80; // units around a place, longer than a word

// The start and end of the word around a unit; a character outside words counts as one.
function wordAt(text, at) {
  const from = Math.max(0, at - NEAR), { index, segment } = WHOLE.segment(text.slice(from, at + NEAR)).containing(at - from);
  return [from + index, from + index + segment.length];
}

// { source, start, end, range } of the selection in a host, extended to whole words, without blanks at its ends; null without one.
// A selection over several texts ends with the first. selector: of the elements registered with setPlace.
function markedIn(root, host, selector) {
  const range = rangeIn(root, host);
  if (!range || !range.intersectsNode(host)) return null;
  const all = [...host.querySelectorAll(selector)].filter((element) => placed.has(element) && range.intersectsNode(element));
  if (!all.length) return null;
  const { source } = placed.get(all[0]);
  const last = all.findLast((element) => placed.get(element).source === source);
  let start = placeOf(all[0], shownBefore(all[0], range.startContainer, range.startOffset, 0), false);
  let end = placeOf(last, shownBefore(last, range.endContainer, range.endOffset, last.textContent.length), true);
  while (start < end && /\s/.test(source.text[start])) start += 1;
  while (end > start && /\s/.test(source.text[end - 1])) end -= 1;
  return start < end ? { source, start: wordAt(source.text, start)[0], end: wordAt(source.text, end - 1)[1], range } : null;
}

// A mark as data for Python, in code points.
const spanOf = ({ source, start, end }) => ({ version: source.version, start: source.point(start), end: source.point(end) });

// The text of a mark on one line; the middle of a long one is left out.
function quoteOf({ source, start, end }, most = 280) {
  const words = source.text.slice(start, end).replace(/\s+/g, " ");
  const cut = (from, to) => words.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return words.length > most ? `${cut(0, most * 0.65)} … ${cut(words.length - most * 0.3, words.length)}` : words;
}

// The highlight of the marked words while the question is typed; CSS highlights leave the DOM unchanged.
const PENDING = "lectern-judged";
function lightPending(range) {
  if (!window.CSS || !CSS.highlights) return;
  if (range) CSS.highlights.set(PENDING, new Highlight(range)); else CSS.highlights.delete(PENDING);
}
