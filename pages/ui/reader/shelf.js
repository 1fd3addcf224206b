// Documents by key, shared by the component that receives a text and those that draw it, so that a text is sent only
// once however often the page runs. All components of a page share the window.
const shelf = (window[Symbol.for("lectern.shelf")] ??= new Map());
const SHELVED = "lectern-shelved";

// Readers of one text that scroll together: the one the user scrolled last leads, the others follow. A member:
// { key(): the text's key, or "" while it scrolls alone; follow(position, height) }.
const scrollGroup = (window[Symbol.for("lectern.scroll-group")] ??= { members: new Set(), leader: null });
function scrollOthers(member, position, height) {
  if (scrollGroup.leader !== member || !member.key()) return;
  for (const other of scrollGroup.members) if (other !== member && other.key() === member.key()) other.follow(position, height);
}
