// Marks on the text: edits and pins, and cuts compared with another reader's.
const MARK_WORDS = { agreed: ["=", "in both"], added: ["▲", "added"], removed: ["▽", "removed"] };

// One compared cut: a symbol and its label at its place. Both readers show the marks of both, so their lines break alike.
function compareMark(fate) {
  const [shape, word] = MARK_WORDS[fate], mark = make("i", `compare-mark ${fate}`);
  mark.append(make("b", "", shape), make("span", "", word));
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", `Cut ${word}`);
  return mark;
}

// The tag of an edit, before the first word of its leaf.
function editTag({ kind, words }) {
  const tag = make("em", kind === "pin" ? "edit-tag pinned" : "edit-tag");
  tag.append(kind === "pin" ? icon("keep") : make("b", "dot"), make("span", "", words));
  return tag;
}

// The edits by leaf. rows: [kind, start, end, words]. Text that is switched off is a gap and belongs to no leaf.
function readEdits(model, rows) {
  const tags = new Map();
  for (const [kind, start, , words] of rows) {
    const leaf = kind === "disable" ? -1 : leafNear(model, afterBlanks(model.text, model.at(start)));
    if (leaf >= 0) tags.set(leaf, [...(tags.get(leaf) || []), { kind, words }]);
  }
  return tags;
}

const readMarks = (model, rows) => rows.map(([position, fate]) => ({ position: afterBlanks(model.text, model.at(position)), fate }))
  .sort((one, other) => one.position - other.position);

// The label at the start of a gap.
const gapWord = ({ off, reason }) => (off ? reason : `in no chunk: ${reason}`);
