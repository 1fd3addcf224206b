// Search in the whole text, ignoring case and accents. The browser's own search sees only the slabs that are drawn.
const PLAIN = new Map([["’", "'"], ["‘", "'"], ["“", '"'], ["”", '"'], ["–", "-"], ["—", "-"], ["‑", "-"], ["ß", "ss"], ["\u00ad", ""], ["\u200b", ""]]);

function foldLetter(letter) {
  let plain = PLAIN.get(letter);
  if (plain === undefined) {
    plain = /\s/.test(letter) ? " " : letter.normalize("NFKD").replace(/\p{M}+/gu, "").toLowerCase();
    PLAIN.set(letter, plain);
  }
  return plain;
}

// The text in lower case without accents, each run of blanks as one; `at` maps an offset in it to the offset in the text.
function foldText(text) {
  const parts = [], foldedAt = [0], textAt = [0];
  let length = 0, cursor = 0;
  const put = (plain) => { parts.push(plain); length += plain.length; };
  for (const { 0: run, index } of text.matchAll(/\s{2,}|[^\x20-\x7e]+\s*/g)) {
    if (index > cursor) put(text.slice(cursor, index).toLowerCase());
    let place = index, blank = false;
    for (const letter of run) {
      const plain = foldLetter(letter);
      if (plain !== " " || !blank) put(plain);
      blank = plain === " ";
      place += letter.length;
      if (length - foldedAt[foldedAt.length - 1] !== place - textAt[textAt.length - 1]) { foldedAt.push(length); textAt.push(place); }
    }
    cursor = index + run.length;
  }
  put(text.slice(cursor).toLowerCase());
  return {
    folded: parts.join(""),
    at: (place) => {
      const index = firstNotBelow(foldedAt, place + 1) - 1;
      return textAt[index] + place - foldedAt[index];
    },
  };
}

function createFinder() {
  let held = "", fold = null;
  return (text, query) => {
    const wanted = foldText(query.trim()).folded;
    const starts = [], ends = [];
    if (wanted) {
      if (held !== text) { fold = foldText(text); held = text; }
      for (let at = fold.folded.indexOf(wanted); at >= 0; at = fold.folded.indexOf(wanted, at + wanted.length)) {
        starts.push(fold.at(at));
        ends.push(fold.at(at + wanted.length));
      }
    }
    return { starts, ends };
  };
}

// The search field above the text. actions: { find(query) -> matches, show(index), close() }. place(): the view's first offset.
function createFindBar(bar, actions, place) {
  const field = bar.querySelector("input"), count = bar.querySelector(".find-count");
  const [back, forth, close] = bar.querySelectorAll("button");
  let matches = { starts: [], ends: [] }, here = -1, timer = 0;

  const say = () => {
    const total = matches.starts.length;
    count.textContent = !field.value.trim() ? "" : total ? `${grouped(here + 1)} of ${grouped(total)}` : "No match";
    bar.classList.toggle("nothing", Boolean(field.value.trim()) && !total);
    back.disabled = forth.disabled = !total;
  };
  const look = () => {
    clearTimeout(timer);
    timer = 0;
    matches = actions.find(field.value);
    here = matches.starts.length ? Math.min(matches.starts.length - 1, firstNotBelow(matches.starts, place())) : -1;
    actions.show(matches, here);
    say();
  };
  const go = (by) => {
    if (timer) { look(); return; }
    if (!matches.starts.length) return;
    here = (here + by + matches.starts.length) % matches.starts.length;
    actions.show(matches, here);
    say();
  };
  const shut = () => {
    clearTimeout(timer);
    timer = 0;
    bar.hidden = true;
    matches = { starts: [], ends: [] };
    actions.show(null, -1);
    actions.closed();
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, 120); });
  bar.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); shut(); }
    if (event.target !== field) return;
    const by = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) { event.preventDefault(); go(by); }
  });
  back.onclick = () => go(-1);
  forth.onclick = () => go(1);
  close.onclick = shut;
  say();
  return {
    open(query) {
      bar.hidden = false;
      if (query !== undefined) field.value = query;
      field.focus();
      field.select();
      if (field.value.trim()) look();
    },
    // For another text: forget the matches, keep the query in the field.
    reset() {
      clearTimeout(timer);
      timer = 0;
      matches = { starts: [], ends: [] };
      here = -1;
      if (!bar.hidden && field.value.trim()) look(); else say();
    },
  };
}
