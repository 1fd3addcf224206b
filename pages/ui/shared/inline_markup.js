// Inline Markdown for display: spans [start, end, name] of a text, and the Markdown signs, which are not drawn.
const SIGN = "sign";
const FENCES = /^[ \t]*(?:`{3,}|~{3,})[^\n]*(?:\n|$)/gm;
const VERBATIM = [ // delimiters of text in which nothing else is markup, and the name of its span
  [/(?<![`\\])(`+)(?!`)((?:[^\n]|\n(?!\s*\n))+?)(?<!`)\1(?!`)/g, "inline-code"],
  [/(?<!\\)(\$\$)([^$]+?)\1/g, "math"],
  [/(?<![\\$])(\$)(?=[^\s$])([^$]*?[\\^_={}][^$]*?)(?<=\S)\1(?!\d)/g, "math"],
];
const PAIRS = [
  [/(?<!\\)(\*\*)(?=[^\s*])((?:[^\n]|\n(?!\s*\n))+?)(?<=\S)\1/g, "strong"],
  [/(?<![\w*\\])([*_])(?=[^\s*_])((?:[^\n*]|\n(?!\s*\n))+?)(?<=[^\s*])\1(?![\w*])/g, "em"],
  [/(~~)(?=\S)([^\n]+?)(?<=\S)\1/g, "struck"],
];
const BREAK = /<br\s*\/?>/gi;
const SIGNS = [ // signs of headings, links, escapes and HTML tags
  /<\/?(?:a|b|code|em|i|kbd|small|span|strong|sub|sup|u)(?:\s[^<>]*)?>/gi,
  /<\/?(?:article|aside|center|dd|details|div|dl|dt|figcaption|figure|h[1-6]|li|ol|p|section|summary|ul)(?:\s[^<>]*)?>[ \t]*\n*/gi,
  /^#{1,6}[ \t]+/gm, /!?\[(?=[^[\]\n]+\]\([^\s()]*\))/g, /(?<=\[[^[\]\n]+)\]\([^\s()]*\)/g,
  /\[\[(?:[^[\]|\n]+\|)?(?=[^[\]\n]+\]\])/g, /(?<=\[\[[^[\]\n]+)\]\]/g, /\\(?=[!-/:-@[-`{-~])/g,
];

// code: [start, end] of the code blocks, in which only the fences are signs.
function markupOf(text, code) {
  const spans = [], verbatim = [...code], apart = ([first, last], start, end) => last <= start || first >= end;
  const take = ({ 0: all, 1: sign, index }, name) => {
    const end = index + all.length;
    spans.push([index, index + sign.length, SIGN], [index + sign.length, end - sign.length, name], [end - sign.length, end, SIGN]);
  };
  const each = (rules, fits, act) => {
    for (const [pattern, name] of rules) for (const found of text.matchAll(pattern)) if (fits(found.index, found.index + found[0].length)) act(found, name);
  };
  const free = (start, end) => verbatim.every((span) => apart(span, start, end));
  const around = (start, end) => verbatim.every((span) => apart(span, start, end) || (start < span[0] && span[1] < end));
  const sign = ({ 0: all, index }) => spans.push([index, index + all.length, SIGN]);
  each([[FENCES]], (start, end) => !code.every((span) => apart(span, start, end)), sign);
  each(VERBATIM, free, (found, name) => { take(found, name); verbatim.push([found.index, found.index + found[0].length]); });
  each(PAIRS, around, take);
  each(SIGNS.map((pattern) => [pattern]), free, sign);
  each([[BREAK]], free, ({ 0: all, index }) => spans.push([index, index + all.length, "break"]));
  return spans;
}

// Divide text[from, to) into runs [start, end, spans that contain it] at the ends of all spans; signs are left out.
function runsOf(spans, from, to) {
  const near = spans.filter(([start, end]) => start < to && end > from), borders = new Set([from, to]);
  for (const span of near) for (const border of span.slice(0, 2)) if (border > from && border < to) borders.add(border);
  const places = [...borders].sort((one, other) => one - other), runs = [];
  for (let index = 0; index + 1 < places.length; index += 1) {
    const [start, end] = [places[index], places[index + 1]], held = near.filter(([first, last]) => first <= start && last >= end);
    if (!held.some(([, , name]) => name === SIGN)) runs.push([start, end, held]);
  }
  return runs;
}

// Draw the markers of list items as bullets; the length of the text stays the same.
const bulleted = (text) => text.replace(/^([ \t]*)[-*+](?=[ \t]+\S)/gm, "$1•");
