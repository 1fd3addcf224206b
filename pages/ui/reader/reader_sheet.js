// A page of the original as a picture, with the chunks' boxes over it and buttons that turn pages.
function drawSheet(self, host, actions, follow) {
  const page = self.pageData, { model } = self;
  if (!page) { host.replaceChildren(); delete host.dataset.page; return; }
  const home = self.selected >= 0 && model.leaves[self.selected].page;
  if (follow && follow !== "arrived" && home && home !== page.number && !page.boxes.some((box) => box[0] === self.selected)) { actions.turn(home); return; }

  const name = `${model.pageWord[0].toUpperCase()}${model.pageWord.slice(1)}`;
  if (host.dataset.page !== `${model.key}:${page.number}`) {
    host.dataset.page = `${model.key}:${page.number}`;
    const bar = make("div", "turn");
    const leaf = (glyph, label, to) => {
      const button = make("button", "");
      button.append(icon(glyph));
      button.setAttribute("aria-label", label);
      button.disabled = to < 1 || to > page.count;
      button.onclick = () => actions.turn(to);
      return button;
    };
    bar.append(leaf("chevron_left", `Previous ${model.pageWord}`, page.number - 1), make("span", "", `${name} ${page.number} of ${page.count}${page.read}`),
      leaf("chevron_right", `Next ${model.pageWord}`, page.number + 1), pageField(page, model, actions));
    const frame = make("div", "frame"), image = make("img", "");
    image.alt = `${name} ${page.number} as it is printed`;
    image.src = page.image;
    frame.style.aspectRatio = `${page.width} / ${page.height}`;
    frame.append(image);
    for (const [index, x0, y0, x1, y1] of page.boxes) {
      const box = make("i", `box ${index % 2 ? "b" : "a"}`);
      box.dataset.leaf = String(index);
      box.title = `Chunk ${index + 1}`;
      Object.assign(box.style, { left: `${x0}%`, top: `${y0}%`, width: `${x1 - x0}%`, height: `${y1 - y0}%` });
      box.onclick = () => actions.touch(index);
      const whole = (over) => { for (const other of frame.querySelectorAll(`.box[data-leaf="${index}"]`)) other.classList.toggle("over", over); };
      box.onmouseenter = () => whole(true);
      box.onmouseleave = () => whole(false);
      frame.append(box);
    }
    tellOfOtherPages(frame, page, model, actions);
    const holder = make("div", "sheet-scroll");
    holder.tabIndex = 0;
    holder.setAttribute("role", "group");
    holder.setAttribute("aria-label", `${name} ${page.number} with its chunks`);
    holder.append(frame);
    host.replaceChildren(bar, holder);
  }
  let first = null;
  for (const box of host.querySelectorAll(".box")) {
    const on = Number(box.dataset.leaf) === self.selected;
    box.classList.toggle("on", on);
    if (on && !first) first = box;
  }
  first = drawLit(page, host.querySelector(".frame")) || first;
  const scroll = host.querySelector(".sheet-scroll");
  drawParents(self, host.querySelector(".frame"));
  if (!first || !follow) return;
  const box = scroll.getBoundingClientRect(), place = first.getBoundingClientRect();
  if (follow === "arrived" || place.top < box.top || place.bottom > box.bottom) hold(scroll, first);
}

// Keep an element in the middle of the view, and its top in view, until the user scrolls: when the page is first drawn, nothing
// has its size yet, so one scroll would have no effect.
function hold(scroll, place) {
  scroll.held?.disconnect();
  const sized = scroll.held = new ResizeObserver(() => {
    const box = scroll.getBoundingClientRect(), at = place.getBoundingClientRect();
    scroll.scrollTop += at.top - box.top - Math.max(box.height * 0.1, (box.height - at.height) / 2);
  });
  for (const touch of ["wheel", "pointerdown", "touchmove", "keydown"]) scroll.addEventListener(touch, () => sized.disconnect(), { passive: true, once: true });
  for (const element of [scroll, place.parentElement]) sized.observe(element);
}

// The field for a page number.
function pageField(page, model, actions) {
  const field = make("input", "go-to");
  Object.assign(field, { type: "number", min: 1, max: page.count, placeholder: "Go to …" });
  field.setAttribute("aria-label", `Go to ${model.pageWord}`);
  field.onkeydown = (event) => {
    event.stopPropagation(); // typed letters are not keys of the reader
    const to = Math.round(Number(field.value));
    if (event.key === "Enter" && to >= 1) actions.turn(Math.min(to, page.count));
  };
  return field;
}

// Draw the cited words on the page, with a frame and a label, since the file may have yellow marks of its own. Returns
// the first frame.
function drawLit(page, frame) {
  for (const old of frame.querySelectorAll(".lit-box, .lit-frame")) old.remove();
  const drawn = (name, boxes) => boxes.map(([x0, y0, x1, y1]) => {
    const box = make("i", name);
    Object.assign(box.style, { left: `${x0}%`, top: `${y0}%`, width: `${x1 - x0}%`, height: `${y1 - y0}%` });
    return box;
  });
  const frames = drawn("lit-frame", page.cited || []);
  if (frames.length) frames[0].append(make("span", "", "cited"));
  frame.append(...drawn("lit-box", page.lit || []), ...frames);
  return frames[0];
}

// Draw the parents' boxes: all of them faint, the selected chunk's parent strong and with its name.
function drawParents({ model, pageData, selected }, frame) {
  for (const old of frame.querySelectorAll(".parent-box")) old.remove();
  const chosen = selected >= 0 ? model.leaves[selected].parent : -1;
  for (const [leaf, x0, y0, x1, y1] of pageData.parents || []) {
    const parent = model.leaves[leaf].parent, box = make("i", "parent-box");
    Object.assign(box.style, { left: `${x0}%`, top: `${y0}%`, width: `${x1 - x0}%`, height: `${y1 - y0}%` });
    box.classList.toggle("on", parent === chosen);
    if (parent === chosen) box.append(make("span", "", `P${parent + 1}`));
    frame.append(box);
  }
}

// A button to the page on which a chunk goes on.
function tellOfOtherPages(frame, page, model, actions) {
  const last = new Map(page.boxes.map((box) => [box[0], box])), first = new Map([...page.boxes].reverse().map((box) => [box[0], box]));
  const say = ([index, x0, y0, , y1], words, to, below) => {
    const line = make("button", "goes-on", words);
    line.setAttribute("aria-label", `Chunk ${index + 1} ${words}`);
    Object.assign(line.style, { left: `${x0}%`, top: `${below ? y1 : y0}%` });
    line.classList.toggle("before", !below);
    line.onclick = () => actions.turn(to);
    frame.append(line);
  };
  for (const box of last.values()) if (model.leaves[box[0]].lastPage > page.number) say(box, `continues on ${model.pageWord} ${page.number + 1}`, page.number + 1, true);
  for (const box of first.values()) if (model.leaves[box[0]].page < page.number) say(box, `begins on ${model.pageWord} ${model.leaves[box[0]].page}`, model.leaves[box[0]].page, false);
}
