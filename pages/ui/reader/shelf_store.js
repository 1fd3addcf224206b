// Takes a document's bytes: its key on the first line, then JSON. Nothing is drawn here.
export default function ({ data, parentElement }) {
  if (!data) return undefined;
  const words = new TextDecoder();
  const end = data.indexOf(10);
  const key = words.decode(data.subarray(0, end));
  if (!shelf.has(key)) {
    const started = performance.now();
    shelf.clear();
    shelf.set(key, { raw: JSON.parse(words.decode(data.subarray(end + 1))) });
    performance.measure("lectern.shelve", { start: started });
    window.dispatchEvent(new Event(SHELVED));
  }
  // Drawn elsewhere on the page, the new one takes it up before the old one lets it go.
  const held = shelf.get(key);
  (held.holders ??= new Set()).add(parentElement);
  // Streamlit ends a call that the next one overtook, too: what still stands in the page a moment later holds its text.
  return () => setTimeout(() => {
    if (parentElement.isConnected) return;
    held.holders.delete(parentElement);
    if (!held.holders.size && shelf.get(key) === held) shelf.delete(key);
  });
}
