// Decides which URLs become entries of the browser's history. Streamlit pushes an entry for every change of the query, so
// a hundred moves of a slider would be a hundred steps back. Here only another place pushes one; a dial, a filter or the
// selected chunk replaces the present entry, also that of a cited span. `lecternPlaces`: makes this run once per window.
const PLACES = ["library", "document", "span", "question", "run", "tab"];

function stepOf(url) {
  const next = new URL(url, location.href), here = new URL(location.href);
  if (next.pathname !== here.pathname) return "push";
  if (!next.searchParams.has("library")) return "skip"; // the app is opening another page, which pushes its own entry
  if (!here.searchParams.has("library")) return "replace"; // a page just opened completes its URL
  const other = (name) => next.searchParams.get(name) !== here.searchParams.get(name);
  return PLACES.some((name) => other(name) && (name !== "span" || next.searchParams.has(name))) ? "push" : "replace";
}

if (!window.lecternPlaces) {
  window.lecternPlaces = true;
  const push = history.pushState.bind(history);
  history.pushState = (held, title, url) => {
    const step = url ? stepOf(url) : "push";
    if (step === "push") push(held, title, url);
    if (step === "replace") history.replaceState(held, title, url);
  };
}
