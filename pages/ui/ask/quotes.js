const WIDE = 8; // a row with this many cells is drawn as a list
const KINDS = ["cell", "row", "line", "item", "sentence"];
// The best supporting sentences, each with a link to its place. With weak support: that the library does not say, and
// the nearest sentences below, folded unless it may say. All text is set through textContent.
function drawQuote(quote, index, component) {
  const line = make("blockquote", "quote"), cite = make("button", "cite");
  // The last two: "Security" alone does not say of which version.
  const headings = quote.headings.filter((heading) => heading !== quote.document).slice(-2);
  cite.append(make("b", "", String(index + 1)), make("span", "", [quote.document, ...headings].join(" › ") + (quote.page ? `, ${quote.page}` : "")), icon("arrow_outward"));
  cite.title = `Open in Chunks · ${sourceInWords(quote)} · support ${quote.score.toFixed(2)} of 1`;
  cite.onclick = () => component.setTriggerValue("open", { document: quote.version, span: `${quote.start}-${quote.end}` });
  if (quote.told) line.append(asMarked(make("span", "of"), `${quote.told}: `, quote.markup)); // what a cell's number is about, before the number
  line.append(drawSaid(quote), cite);
  return line;
}

// Draw the quote's text with the short answer in bold; code keeps its lines, a list its items.
function drawSaid({ text, kind, short, cells, asked, markup }) {
  if (cells.length) return drawRow(cells, asked, markup);
  const said = make(kind === "line" ? "code" : "span", `said ${kind}`), at = offsetTranslator(text);
  return asMarked(said, text, markup && kind !== "line", short ? [[...short.map(at), "short"]] : []);
}

// Append a text to the holder, with its Markdown applied. spans: further [start, end, name] to mark.
function asMarked(holder, text, markup, spans = []) {
  const shown = markup ? bulleted(text) : text, all = [...(markup ? markupOf(text, []) : []), ...spans];
  for (const [start, end, held] of runsOf(all, 0, text.length)) holder.append(make("span", held.map(([, , name]) => name).join(" "), shown.slice(start, end)));
  return holder;
}

function drawNothing(data, component) {
  const none = make("div", "none");
  const left = data.coming, verdict = left ? `Nothing that has been read so far answers this; ${counted(left, "document")[0]} ${left === 1 ? "is" : "are"} still being read.` : `${data.verdict}.`;
  none.append(make("b", "", verdict), make("p", "why", data.weak ? `${data.weak[0].toUpperCase()}${data.weak.slice(1)}` : "No sentence in these passages supports an answer."));
  if (!data.quotes.length) return [none];
  const fold = make("details", "nearest");
  fold.open = data.unsure;
  fold.append(make("summary", "", "What came nearest"), ...data.quotes.map((quote, index) => drawQuote(quote, index, component)));
  none.append(fold);
  return [none];
}

// Draw a row of a table below its headers, or a wide one beside them, with a mark on the cell asked for.
function drawRow(cells, asked, markup) {
  const wide = cells.length > WIDE, table = make("table", wide ? "said row wide" : "said row"), line = () => make("tr", "");
  const heads = cells.map(([header]) => asMarked(make("th", ""), header, markup));
  const bodies = cells.map(([, words], at) => asMarked(make("td", at === asked ? "asked" : ""), words, markup));
  if (wide) {
    table.append(...heads.map((head, at) => { const row = line(); row.append(head, bodies[at]); return row; }));
    return table;
  }
  if (cells.some(([header]) => header)) table.append(line());
  table.firstChild?.append(...heads);
  table.append(line());
  table.lastChild.append(...bodies);
  return table;
}

// The text to copy: a cell with its row, since a cell alone means nothing elsewhere.
function quotedWhole(quote, number) {
  return quotedWithSource(quote.told ? { ...quote, text: `${quote.told}: ${quote.text}` } : quote, number);
}

function counted(count, word) {
  return count ? [`${count} ${word}${count === 1 ? "" : "s"}`] : [];
}

function drawAnswer(data, component) {
  const copy = make("button", "copy", "Copy with sources"), foot = make("div", "answer-foot");
  copy.title = "The question, these sentences, and where each stands, as Markdown";
  copy.onclick = () => copyText([`**${data.question}**`, ...data.quotes.map((quote, index) => quotedWhole(quote, `[${index + 1}] `))].join("\n\n"), copy);
  const kinds = KINDS.flatMap((kind) => counted(data.quotes.filter((quote) => quote.kind === kind).length, kind)).join(" and ");
  foot.append(make("span", "", `${kinds}, word for word${data.likely}`), copy);
  return [...data.quotes.map((quote, index) => drawQuote(quote, index, component)), foot];
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".answer");
  if (!data) return;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return; // keeps opened folds open
  host.dataset.drawn = drawn;
  host.replaceChildren(...(data.weak || !data.quotes.length ? drawNothing : drawAnswer)(data, component));
}
