// Documents by key, shared by the component that brings a text and the one that draws it: a text travels once, however
// often the page runs anew. Components of one page live in one window.
const shelf = (window[Symbol.for("lectern.shelf")] ??= new Map());
const SHELVED = "lectern-shelved";
