// Python counts code points, JavaScript UTF-16 units: everything that arrives is translated once, here, and what is sent
// back is by `inverse`.
function offsetTranslator(text) {
  const astral = []; // code point positions of characters that take two units
  let points = 0;
  for (let unit = 0; unit < text.length; unit += 1) {
    const code = text.charCodeAt(unit);
    if (code >= 0xd800 && code <= 0xdbff) { astral.push(points); unit += 1; }
    points += 1;
  }
  const at = astral.length ? (point) => point + firstNotBelow(astral, point) : (point) => point;
  const units = astral.map((point, before) => point + before); // where those characters begin
  at.inverse = (unit) => unit - firstNotBelow(units, unit);
  return at;
}

// How many of the sorted numbers are below the value.
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

// A sign of the font Streamlit brings along; its name is no word to be read aloud.
function icon(name) {
  const sign = make("i", "icon", name);
  sign.setAttribute("aria-hidden", "true");
  return sign;
}
