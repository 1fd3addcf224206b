// A page of the original with the chunks' boxes over it, and its page turn.
function drawSheet(self, host, actions, follow) {
  const page = self.pageData;
  if (!page) { host.replaceChildren(); return; }
  const leaf = self.selected >= 0 ? self.model.leaves[self.selected] : null;
  const home = leaf && self.data.leafPages[self.selected];
  if (follow && home && home !== page.number && !page.boxes.some((box) => box[0] === self.selected)) { actions.turn(home); return; }

  if (host.dataset.page !== `${self.data.version}:${page.number}`) {
    host.dataset.page = `${self.data.version}:${page.number}`;
    const bar = make("div", "turn");
    const back = make("button", "", "‹ Page"), forth = make("button", "", "Page ›");
    back.setAttribute("aria-label", "Previous page"); forth.setAttribute("aria-label", "Next page");
    back.disabled = page.number <= 1; forth.disabled = page.number >= page.count;
    back.onclick = () => actions.turn(page.number - 1);
    forth.onclick = () => actions.turn(page.number + 1);
    bar.append(back, make("span", "", `Page ${page.number} of ${page.count}`), forth);
    const frame = make("div", "frame");
    const image = make("img", "");
    image.alt = `Page ${page.number}`;
    image.src = page.image;
    frame.style.aspectRatio = `${page.width} / ${page.height}`;
    frame.append(image);
    for (const [index, x0, y0, x1, y1] of page.boxes) {
      const box = make("i", `box ${index % 2 ? "b" : "a"}`);
      box.dataset.leaf = String(index);
      box.title = `Chunk ${index + 1}`;
      box.style.left = `${x0}%`; box.style.top = `${y0}%`;
      box.style.width = `${x1 - x0}%`; box.style.height = `${y1 - y0}%`;
      box.onclick = () => actions.touch(index);
      const whole = (over) => { for (const other of frame.querySelectorAll(`.box[data-leaf="${index}"]`)) other.classList.toggle("over", over); };
      box.onmouseenter = () => whole(true);
      box.onmouseleave = () => whole(false);
      frame.append(box);
    }
    const holder = make("div", "sheet-scroll");
    holder.append(frame);
    host.replaceChildren(bar, holder);
  }
  let first = null;
  for (const box of host.querySelectorAll(".box")) {
    const on = Number(box.dataset.leaf) === self.selected;
    box.classList.toggle("on", on);
    if (on && !first) first = box;
  }
  const scroll = host.querySelector(".sheet-scroll");
  if (!first || !follow) return;
  const box = scroll.getBoundingClientRect(), place = first.getBoundingClientRect();
  if (place.top < box.top || place.bottom > box.bottom) scroll.scrollTop += place.top - box.top - scroll.clientHeight * 0.3;
}
