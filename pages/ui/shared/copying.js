// Puts text on the clipboard and says so on the button that did it.
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

// A deep link: it shows a place of a document, and can do nothing else.
function linkTo(version, start, end) {
  const url = new URL("chunks", window.location.href);
  url.search = new URLSearchParams({ document: version, span: `${start}-${end}` }).toString();
  return url.toString();
}

// "Document › Part › Heading, page 3 (file.pdf)"; the document is not said twice.
function sourceInWords(item) {
  const path = [item.document, ...item.headings.filter((heading, at) => at || heading !== item.document)].join(" › ");
  return `${path}${item.page ? `, ${item.page}` : ""}${item.file === item.document ? "" : ` (${item.file})`}`;
}

// Markdown that reads well as plain text too: the words quoted, then where they stand and a link there.
function quotedWithSource(item, number = "") {
  const quote = item.text.trim().split("\n").map((line) => `> ${line}`.trimEnd()).join("\n");
  return `${quote}\n\n${number}${sourceInWords(item)}\n${linkTo(item.version, item.start, item.end)}`;
}
