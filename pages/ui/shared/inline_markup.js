// Markdown within lines, for what is only shown: spans [start, end, name] of a text, and its signs, which are left out.
const SIGN = "sign";
const FENCES = /^[ \t]*(?:`{3,}|~{3,})[^\n]*(?:\n|$)/gm;
const CODE = /(?<![`\\])(`+)(?!`)((?:[^\n]|\n(?!\s*\n))+?)(?<!`)\1(?!`)/g;
const PAIRS = [ // what stands on both sides of the words, and what it makes of them
  [/(?<!\\)(\$\$)([^$]+?)\1/g, "math"],
  [/(?<![\\$])(\$)(?=[^\s$])([^$]*?[\\^_={}][^$]*?)(?<=\S)\1(?!\d)/g, "math"],
  [/(?<!\\)(\*\*|__)(?=[^\s*_])((?:[^\n]|\n(?!\s*\n))+?)(?<=\S)\1/g, "strong"],
  [/(?<![\w*\\])([*_])(?=[^\s*_])((?:[^\n*]|\n(?!\s*\n))+?)(?<=[^\s*])\1(?![\w*])/g, "em"],
  [/(~~)(?=\S)([^\n]+?)(?<=\S)\1/g, "struck"],
];
const SIGNS = [/^#{1,6}[ \t]+/gm, /!?\[(?=[^[\]\n]+\]\([^\s()]*\))/g, /(?<=\[[^[\]\n]+)\]\([^\s()]*\)/g, /\[\[(?:[^[\]|\n]+\|)?(?=[^[\]\n]+\]\])/g, /(?<=\[\[[^[\]\n]+)\]\]/g, /\\(?=[!-/:-@[-`{-~])/g];

// code: [start, end] of the blocks of code, whose fences alone are signs.
function markupOf(text, code) {
  const within = (spans, start, end) => spans.some(([first, last]) => first < end && last > start), spans = [], math = [];
  for (const { index, 0: all } of text.matchAll(FENCES)) if (within(code, index, index + all.length)) spans.push([index, index + all.length, SIGN]);
  const verbatim = [...code], take = (found, name) => {
    const [all, sign] = found, start = found.index, end = start + all.length;
    if (within(code, start, end) || within(math, start, end) || (verbatim !== code && verbatim.some(([first, last]) => first < end && last > start && !(start < first && last < end)))) return;
    spans.push([start, start + sign.length, SIGN], [start + sign.length, end - sign.length, name], [end - sign.length, end, SIGN]);
    if (name === "inline-code") verbatim.push([start, end]);
    if (name === "math") math.push([start, end]);
  };
  for (const found of text.matchAll(CODE)) take(found, "inline-code");
  for (const [pattern, name] of PAIRS) for (const found of text.matchAll(pattern)) take(found, name);
  for (const pattern of SIGNS) for (const { index, 0: all } of text.matchAll(pattern)) if (!within(verbatim, index, index + all.length) && !within(math, index, index + all.length)) spans.push([index, index + all.length, SIGN]);
  return spans;
}

// Runs [start, end, the spans that hold it] of text[from, to), each all inside or outside of every span; signs are left out.
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

// Marks of items as the signs they stand for: the text stays as long as it is.
const bulleted = (text) => text.replace(/^([ \t]*)[-*+](?=[ \t]+\S)/gm, "$1•");
