// The best supporting sentences, each with the way to its place; where support is weak, that the library does not say,
// and behind it what came nearest. Text comes as data and leaves as textContent.
function drawQuote(quote, index, component) {
  const line = make("blockquote", "quote"), cite = make("button", "cite");
  const heading = quote.headings.length && quote.headings[quote.headings.length - 1] !== quote.document ? ` › ${quote.headings[quote.headings.length - 1]}` : "";
  cite.append(make("b", "", String(index + 1)), make("span", "", quote.document + heading + (quote.page ? `, ${quote.page}` : "")), icon("arrow_outward"));
  cite.title = `Open in Chunks · ${sourceInWords(quote)} · support ${quote.score.toFixed(2)} of 1`;
  cite.onclick = () => component.setTriggerValue("open", { document: quote.version, span: `${quote.start}-${quote.end}` });
  if (quote.told) line.append(make("span", "of", `${quote.told}: `)); // what a cell is of, before its number
  line.append(make("span", "said", quote.text), cite);
  return line;
}

function drawNothing(data, component) {
  const none = make("div", "none");
  none.append(make("b", "", "The library does not say."), make("p", "why", data.weak ? `${data.weak[0].toUpperCase()}${data.weak.slice(1)}` : "No sentence in these passages supports an answer."));
  if (!data.quotes.length) return [none];
  const fold = make("details", "nearest");
  fold.append(make("summary", "", "What came nearest"), ...data.quotes.map((quote, index) => drawQuote(quote, index, component)));
  none.append(fold);
  return [none];
}

// A cell alone says nothing once it is pasted elsewhere.
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
  const cells = data.quotes.filter((quote) => quote.told).length;
  const kinds = [...counted(cells, "cell"), ...counted(data.quotes.length - cells, "sentence")].join(" and ");
  foot.append(make("span", "", `${kinds}, word for word${data.likely}`), copy);
  return [...(data.compared ? [make("p", "compared", data.compared)] : []), ...data.quotes.map((quote, index) => drawQuote(quote, index, component)), foot];
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".answer");
  if (!data) return;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return; // a fold that was opened stays open
  host.dataset.drawn = drawn;
  host.replaceChildren(...(data.weak || !data.quotes.length ? drawNothing : drawAnswer)(data, component));
}
