// The panel over the text: the form for a question that marked words answer, and the list of the questions of a gold span.
function createPanel(stage, closed) {
  const box = make("section", "judge-panel");
  box.setAttribute("role", "dialog");
  box.hidden = true;
  stage.append(box);
  const shut = () => {
    if (box.hidden) return;
    box.hidden = true;
    box.replaceChildren();
    closed();
  };
  box.addEventListener("keydown", (event) => {
    event.stopPropagation(); // typed letters are not keys of the page
    if (event.key === "Escape") shut();
  });
  return {
    shut,
    holds: (target) => box.contains(target),
    // beside: a box of the window, or null for the upper edge. first: the element that gets the focus.
    open(title, parts, beside, first) {
      const head = make("header", ""), close = make("button", "bare"), name = make("h4", "", title);
      close.append(icon("close"));
      close.setAttribute("aria-label", "Close");
      close.onclick = shut;
      head.append(name, close);
      box.setAttribute("aria-label", title);
      box.replaceChildren(head, ...parts);
      box.hidden = false;
      const frame = stage.getBoundingClientRect();
      putBeside(box, stage, beside || { left: frame.left + 24, top: frame.top, bottom: frame.top + 12 });
      (first || close).focus({ preventScroll: true });
      if (first && first.select) first.select();
    },
  };
}

function labelled(words, field) {
  const label = make("label", "judge-field");
  label.append(make("span", "", words), field);
  return label;
}

// The form for a question. save({ question, answer }). Returns the parts of the panel and the field that gets the focus.
function questionForm(mark, question, save) {
  const form = make("form", ""), asked = make("textarea", ""), answer = make("input", ""), button = make("button", "judge-save", "Save");
  asked.rows = 2;
  asked.maxLength = answer.maxLength = 2000;
  asked.value = question;
  answer.type = "text";
  answer.placeholder = "in your own words, if it helps";
  button.type = "submit";
  const ready = () => { button.disabled = !asked.value.trim(); };
  asked.addEventListener("input", ready);
  asked.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); form.requestSubmit(button); }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (asked.value.trim()) save({ question: asked.value.trim(), answer: answer.value.trim() });
  });
  const { start, end } = spanOf(mark), foot = make("div", "judge-foot");
  const hint = make("small", "", `${grouped(end - start)} characters · `);
  hint.append(make("kbd", "", "Enter"), " saves ", make("kbd", "", "Esc"), " closes");
  foot.append(hint, button);
  form.append(labelled("Which question does this passage answer?", asked), labelled("Expected answer (optional)", answer), foot);
  ready();
  return { parts: [make("blockquote", "judge-quote", quoteOf(mark)), form], first: asked };
}

// The tag at the start of a gold span that opens its questions. kind: "span" inside another control.
function goldTag(questions, kind = "button") {
  const tag = make(kind, "gold-tag", questions.length > 1 ? `◆ gold × ${questions.length}` : "◆ gold");
  tag.title = questions.map((each) => each.question).join("\n");
  if (kind === "button") tag.setAttribute("aria-label", `Marked answer: ${tag.title}`);
  tag.questions = questions;
  return tag;
}

const ORIGIN_WORDS = { human: "judged by hand", imported: "imported", synthetic: "written by a program" };

// Open the panel with the questions of a gold span: { id, question, answer, origin } each. off: why none can be removed,
// "" if they can.
function openGold(panel, questions, beside, off, remove) {
  const list = make("ul", "judge-list");
  for (const { id, question, answer, origin } of questions) {
    const row = make("li", ""), words = make("div", "");
    words.append(make("b", "", question));
    if (answer) words.append(make("p", "", `Expected: ${answer}`));
    words.append(make("small", "", ORIGIN_WORDS[origin] || origin));
    row.append(words);
    if (!off) {
      const button = make("button", "", "Remove");
      button.setAttribute("aria-label", `Remove: ${question}`);
      button.onclick = () => { panel.shut(); remove(id); };
      row.append(button);
    }
    list.append(row);
  }
  const title = questions.length > 1 ? `The answer to ${grouped(questions.length)} questions` : "Marked answer";
  panel.open(title, off ? [list, make("p", "hint", off)] : [list], beside);
}
