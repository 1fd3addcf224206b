// Which addresses make a step of their own in the browser's history. Streamlit pushes one for every change of the query:
// a hundred turns of a slider would be a hundred steps back. Here a place is left only for another place; a dial, a
// filter or the chosen chunk refine the place one is at, also where it was a cited span. `lecternPlaces`: set once a window, whatever is mounted anew.
const PLACES = ["library", "document", "span", "question", "run", "tab"];

function stepOf(url) {
  const next = new URL(url, location.href), here = new URL(location.href);
  if (next.pathname !== here.pathname) return "push";
  if (!next.searchParams.has("library")) return "skip"; // on its way to another page, which pushes its own
  if (!here.searchParams.has("library")) return "replace"; // a page just opened has said where it is
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
