// Python counts code points, JavaScript UTF-16 units. Offsets from Python are translated once, here; those sent to Python
// by `inverse`.
function offsetTranslator(text) {
  const astral = []; // code point offsets of the characters with two units
  let points = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code <= 0xdbff) { astral.push(points); unit += 1; }
    points += 1;
  }
  const at = astral.length ? (point) => point + firstNotBelow(astral, point) : (point) => point;
  const units = astral.map((point, before) => point + before); // the unit offsets of those characters
  at.inverse = (unit) => unit - firstNotBelow(units, unit);
  return at;
}

// The number of sorted numbers below the value, by binary search.
function firstNotBelow(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

const NUMBERS = new Intl.NumberFormat("en-US");
const grouped = (number) => NUMBERS.format(Math.round(number));

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

// An icon of Streamlit's icon font, hidden from screen readers, which would read its name.
function icon(name) {
  const sign = make("i", "icon", name);
  sign.setAttribute("aria-hidden", "true");
  return sign;
}
