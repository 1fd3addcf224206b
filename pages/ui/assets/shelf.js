// Documents by key, shared by the component that brings a text and the one that draws it: a text travels once, however
// often the page runs anew. Components of one page live in one window.
const shelf = (window[Symbol.for("lectern.shelf")] ??= new Map());
const SHELVED = "lectern-shelved";

// Readers of one text that scroll together: whoever a hand moved last leads, the others follow. A reader's voice:
// { key(): the text's key, or "" while it scrolls alone; follow(position, height) }.
const choir = (window[Symbol.for("lectern.choir")] ??= { voices: new Set(), leader: null });
function singTogether(voice, position, height) {
  if (choir.leader !== voice || !voice.key()) return;
  for (const other of choir.voices) if (other !== voice && other.key() === voice.key()) other.follow(position, height);
}
