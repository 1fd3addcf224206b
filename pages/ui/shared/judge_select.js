// What a selection means: the place in its text of what a person marked. It is read from the elements that show text,
// each of which knows its place, never by searching for the words; numbers, labels and prefixes are none of the text.
const placed = new WeakMap(); // element -> { source, start, units }

// source: { version, text, point(unit) }, `point` a code point of the document. units: where in the text each unit shown
// stands, for words that are not shown as they are; null for those that are.
function setPlace(element, source, start, units = null) {
  placed.set(element, { source, start, units });
}

// The place before a unit shown; `ending`: the place after the one before it, which differs where something is left out.
function placeOf(element, shown, ending) {
  const { start, units } = placed.get(element);
  if (!units || !units.length) return start + (units ? 0 : shown);
  return ending || shown >= units.length ? units[Math.max(0, shown - 1)] + (shown ? 1 : 0) : units[shown];
}

// A selection inside a shadow root is told by the newer way that names the root, else by the root or the document itself.
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
  const range = document.createRange(); // what leaves the component ends with the host
  if (begins) range.setStart(found.startContainer, found.startOffset); else range.setStart(host, 0);
  if (ends) range.setEnd(found.endContainer, found.endOffset); else range.setEnd(host, host.childNodes.length);
  return range.collapsed ? null : range;
}

// How many units of the element's words stand before a boundary; `otherwise` where it stands outside.
function shownBefore(element, node, offset, otherwise) {
  if (!element.contains(node)) return otherwise;
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(node, offset);
  return before.toString().length;
}

const WHOLE = new Intl.Segmenter(undefined, { granularity: "word" }), NEAR = 80; // units around a place, longer than a word

// Where the word begins and ends that a unit stands in; a sign that is in none stands alone.
function wordAt(text, at) {
  const from = Math.max(0, at - NEAR), { index, segment } = WHOLE.segment(text.slice(from, at + NEAR)).containing(at - from);
  return [from + index, from + index + segment.length];
}

// { source, start, end, range } of the words marked in a host, whole ones, blanks at the edges left out; null for none. What reaches
// into a second text ends with the first. selector: of the elements that were given a place.
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

// A mark as it is sent to Python, in code points.
const spanOf = ({ source, start, end }) => ({ version: source.version, start: source.point(start), end: source.point(end) });

// The quote of a mark as a person reads it: on one line, its middle left out where it is long.
function quoteOf({ source, start, end }, most = 280) {
  const words = source.text.slice(start, end).replace(/\s+/g, " ");
  const cut = (from, to) => words.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return words.length > most ? `${cut(0, most * 0.65)} … ${cut(words.length - most * 0.3, words.length)}` : words;
}

// What stays lit while the question is typed elsewhere: a highlight changes nothing in the page.
const PENDING = "lectern-judged";
function lightPending(range) {
  if (!window.CSS || !CSS.highlights) return;
  if (range) CSS.highlights.set(PENDING, new Highlight(range)); else CSS.highlights.delete(PENDING);
}
