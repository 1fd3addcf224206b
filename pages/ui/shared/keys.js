// The keys that all pages share: ? opens the sheet of keys, / focuses the question. And the reload of a broken page.

const RELOADED = "lectern-reloaded", CALM = 20000; // milliseconds

// If the server's data does not fit the page, Streamlit covers the page with an error dialog; a reload from the URL
// repairs it. Only one reload, so that an error that comes back at once can be read.
function reloadWhenBroken() {
  const look = () => {
    const dialogs = [...document.querySelectorAll("[role=dialog]")];
    // Matched at the start, where the heading is, since other dialogs show documents' text.
    if (!dialogs.some((each) => /^\W*(close)?\W*Bad message format/i.test(each.textContent))) return;
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < CALM) return;
    sessionStorage.setItem(RELOADED, Date.now());
    location.reload();
  };
  const observer = new MutationObserver(() => setTimeout(look, 100)); // after the added elements are drawn
  observer.observe(document.body, { childList: true });
  return () => observer.disconnect();
}

function isField(event) {
  const target = event.composedPath()[0];
  return Boolean(target && target.matches && target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]"));
}

function createSheet(root) {
  const dialog = root.querySelector("dialog"), opener = root.querySelector(".opener"), list = root.querySelector("dl");
  let question = "";
  opener.onclick = () => dialog.showModal();
  root.querySelector(".closer").onclick = () => dialog.close();
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // a click on the backdrop
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isField(event) || dialog.open) return;
    if (event.key === "?") { event.preventDefault(); dialog.showModal(); }
    const field = question && event.key === "/" && document.querySelector(`input[aria-label="${question}"]`);
    if (field) { event.preventDefault(); field.focus(); field.select(); }
  };
  const show = () => dialog.open || dialog.showModal();
  const calm = reloadWhenBroken();
  window.addEventListener("keydown", onKey);
  window.addEventListener("lectern-keys", show); // sent by components with a button for the sheet
  root.querySelector(".keys-line").dataset.ready = "";
  const self = {
    update(data) {
      question = data.question;
      root.querySelector(".keys-line").classList.toggle("empty", !data.button);
      list.replaceChildren(...data.keys.flatMap(([names, meaning]) => {
        const term = make("dt", "");
        term.append(...names.map((name) => make("kbd", "", name)));
        return [term, make("dd", "", meaning)];
      }));
    },
    close() {
      calm();
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("lectern-keys", show);
    },
  };
  return self;
}

export default function ({ data, parentElement }) {
  const sheet = mounted(parentElement, createSheet);
  if (data) sheet.update(data);
  return unmounting(parentElement);
}
