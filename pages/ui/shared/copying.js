// Copy text to the clipboard and confirm it on the button.
function copyText(value, button) {
  const said = button.dataset.said || (button.dataset.said = button.textContent);
  const done = (word, worked) => {
    button.textContent = word;
    button.classList.toggle("done", worked);
    button.setAttribute("aria-live", "polite");
    clearTimeout(Number(button.dataset.timer));
    button.dataset.timer = String(setTimeout(() => { button.textContent = said; button.classList.remove("done"); }, 1800));
  };
  navigator.clipboard.writeText(value).then(() => done("✓ Copied", true), () => done("Not allowed here", false));
}

// The link to a span of a document. It only shows the place; it changes nothing.
function linkTo(version, start, end) {
  const url = new URL("chunks", window.location.href);
  url.search = new URLSearchParams({ document: version, span: `${start}-${end}` }).toString();
  return url.toString();
}

// "Document › Part › Heading, page 3 (file.pdf)", without repeating the document's name.
function sourceInWords(item) {
  const path = [item.document, ...item.headings.filter((heading, at) => at || heading !== item.document)].join(" › ");
  return `${path}${item.page ? `, ${item.page}` : ""}${item.file === item.document ? "" : ` (${item.file})`}`;
}

// A quotation as Markdown, readable as plain text too: the quoted text, then its source and a link to it.
function quotedWithSource(item, number = "") {
  const quote = item.text.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");
  return `${quote}\n\n${number}${sourceInWords(item)}\n${linkTo(item.version, item.start, item.end)}`;
}
