// Takes a document's bytes: its key on the first line, then JSON. Nothing is drawn here.
export default function ({ data }) {
  if (!data) return undefined;
  const words = new TextDecoder();
  const end = data.indexOf(10);
  const key = words.decode(data.subarray(0, end));
  if (!shelf.has(key)) {
    const started = performance.now();
    shelf.clear();
    shelf.set(key, { raw: JSON.parse(words.decode(data.subarray(end + 1))), model: null });
    performance.measure("lectern.shelve", { start: started });
    window.dispatchEvent(new Event(SHELVED));
  }
  return () => shelf.delete(key);
}
