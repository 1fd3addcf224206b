// The best supporting sentences, each with the way to its place. Text comes as data and leaves as textContent.
export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".answer");
  if (!data) return;
  if (!data.quotes.length) {
    host.replaceChildren(make("p", "none", "No sentence in these passages supports an answer. The library may not say."));
    return;
  }
  host.replaceChildren(...data.quotes.map((quote, index) => {
    const line = make("blockquote", "quote");
    line.append(make("span", "said", quote.text));
    const cite = make("button", "cite");
    cite.append(make("b", "", String(index + 1)), make("span", "", quote.document + (quote.page ? `, page ${quote.page}` : "")), make("i", "", "↗"));
    cite.title = `Open in Chunks · support ${quote.score.toFixed(2)} of 1`;
    cite.onclick = () => component.setTriggerValue("open", { document: quote.version, span: `${quote.start}-${quote.end}` });
    line.append(cite);
    return line;
  }));
}
