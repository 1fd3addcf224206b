// The keys every page shares: ? opens the sheet of keys, / leads to the question. And the page comes back by itself.

const RELOADED = "lectern-reloaded", CALM = 20000; // milliseconds

// When what the server sends does not fit what is drawn, Streamlit gives up and covers the page with a dialog. Loaded anew
// from its address the page fits; once, since a fault that comes back at once is better read.
function reloadWhenBroken() {
  const look = () => {
    const dialogs = [...document.querySelectorAll("[role=dialog]")];
    // Its heading: other dialogs show documents' text.
    if (!dialogs.some((each) => /^\W*(close)?\W*Bad message format/i.test(each.textContent))) return;
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < CALM) return;
    sessionStorage.setItem(RELOADED, Date.now());
    location.reload();
  };
  const observer = new MutationObserver(() => setTimeout(look, 100)); // when what was added is drawn
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
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); }); // beside the sheet
  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isField(event) || dialog.open) return;
    if (event.key === "?") { event.preventDefault(); dialog.showModal(); }
    const field = question && event.key === "/" && document.querySelector(`input[aria-label="${question}"]`);
    if (field) { event.preventDefault(); field.focus(); field.select(); }
  };
  const show = () => dialog.open || dialog.showModal();
  const calm = reloadWhenBroken();
  window.addEventListener("keydown", onKey);
  window.addEventListener("lectern-keys", show); // from a component that has a button of its own
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
