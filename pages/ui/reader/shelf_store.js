// Receives a document's bytes, the key on the first line and then JSON, and stores them. Nothing is drawn here.
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
  // When the component moves on the page, the new instance takes the text before the old one releases it.
  const held = shelf.get(key);
  (held.holders ??= new Set()).add(parentElement);
  // Streamlit also calls this when a newer call replaces this one: an element still in the page keeps its text.
  return () => setTimeout(() => {
    if (parentElement.isConnected) return;
    held.holders.delete(parentElement);
    if (!held.holders.size && shelf.get(key) === held) shelf.delete(key);
  });
}
