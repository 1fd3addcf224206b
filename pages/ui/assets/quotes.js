// The best supporting sentences, each with the way to its place. Text comes as data and leaves as textContent.
export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".answer");
  if (!data) return;
  if (!data.quotes.length) {
    host.replaceChildren(make("p", "none", "No sentence in these passages supports an answer. The library may not say."));
    return;
  }
  const lines = data.quotes.map((quote, index) => {
    const line = make("blockquote", "quote"), cite = make("button", "cite");
    const heading = quote.headings.length && quote.headings[quote.headings.length - 1] !== quote.document ? ` › ${quote.headings[quote.headings.length - 1]}` : "";
    cite.append(make("b", "", String(index + 1)), make("span", "", quote.document + heading + (quote.page ? `, ${quote.page}` : "")), icon("arrow_outward"));
    cite.title = `Open in Chunks · ${sourceInWords(quote)} · support ${quote.score.toFixed(2)} of 1`;
    cite.onclick = () => component.setTriggerValue("open", { document: quote.version, span: `${quote.start}-${quote.end}` });
    line.append(make("span", "said", quote.text), cite);
    return line;
  });
  const copy = make("button", "copy", "Copy with sources");
  copy.title = "The question, these sentences, and where each stands, as Markdown";
  copy.onclick = () => copyText([`**${data.question}**`, ...data.quotes.map((quote, index) => quotedWithSource(quote, `[${index + 1}] `))].join("\n\n"), copy);
  const foot = make("div", "answer-foot");
  foot.append(make("span", "", `${data.quotes.length} ${data.quotes.length === 1 ? "sentence" : "sentences"}, word for word`), copy);
  host.replaceChildren(...lines, foot);
}
