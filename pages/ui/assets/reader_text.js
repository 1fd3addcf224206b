// The document's text with its leaves drawn on it. Every character shown comes through textContent.
const SECTION_CHARACTERS = 5000;

function drawText(model, host) {
  const { text, leaves, parents, blocks, gaps, focus } = model;
  const cuts = new Set([0, text.length]);
  for (const leaf of leaves) { cuts.add(leaf.start); cuts.add(leaf.end); }
  for (const gap of gaps) { cuts.add(gap.start); cuts.add(gap.end); }
  if (focus) { cuts.add(focus[0]); cuts.add(focus[1]); }
  const borders = [...cuts].sort((a, b) => a - b);
  const starts = leaves.map((leaf) => leaf.start);
  let furthest = 0;
  const reach = leaves.map((leaf) => (furthest = Math.max(furthest, leaf.end)));
  const gapStarts = gaps.map((gap) => gap.start);
  const marked = new Set(), namedGaps = new Set();
  let focusNamed = false;
  const segments = [];
  const ofLeaf = leaves.map(() => []);

  function leavesAt(position) {
    const found = [];
    for (let index = firstNotBelow(starts, position + 1) - 1; index >= 0 && reach[index] > position; index -= 1) {
      if (leaves[index].end > position) found.push(index);
    }
    return found.reverse();
  }

  function gapAt(position) {
    const index = firstNotBelow(gapStarts, position + 1) - 1;
    return index >= 0 && gaps[index].end > position ? index : -1;
  }

  function mark(container, index) {
    if (marked.has(index)) return;
    marked.add(index);
    const leaf = leaves[index];
    const cut = make("i", "cut");
    cut.dataset.number = String(index + 1);
    cut.title = `Chunk ${index + 1} · ${grouped(leaf.tokens)} tokens`;
    container.append(cut);
    for (const part of leaf.prefix) {
      const ghost = make("span", "prefix", part.text);
      ghost.title = `Prefix, ${part.kind.replace("_", " ")}: read before the chunk, outside its offsets`;
      container.append(ghost);
    }
  }

  function segment(container, start, end) {
    const found = leavesAt(start);
    for (const index of found) mark(container, index);
    const gap = found.length ? -1 : gapAt(start);
    if (gap >= 0 && !namedGaps.has(gap)) {
      namedGaps.add(gap);
      container.append(make("span", gaps[gap].lost ? "gap-word lost" : "gap-word", `in no chunk: ${gaps[gap].reason}`));
    }
    const inFocus = focus && start >= focus[0] && end <= focus[1];
    if (inFocus && !focusNamed && text.slice(start, end).trim()) {
      focusNamed = true;
      container.append(make("em", "tag", "cited"));
    }
    const element = make("span", "segment", text.slice(start, end));
    if (found.length) {
      const owner = found[found.length - 1];
      element.dataset.leaf = String(owner);
      element.classList.add(owner % 2 ? "b" : "a");
      if (found.length > 1) {
        element.classList.add("overlap");
        element.title = `Overlap of chunks ${found.map((index) => index + 1).join(" and ")}`;
      }
      for (const index of found) ofLeaf[index].push(element);
    } else if (gap >= 0) element.classList.add("gap", gaps[gap].lost ? "lost" : "aside");
    if (inFocus) element.classList.add("focus");
    segments.push({ start, element });
    container.append(element);
  }

  function inline(container, start, end) {
    let from = start;
    for (let index = firstNotBelow(borders, start + 1); from < end; index += 1) {
      const to = Math.min(end, index < borders.length ? borders[index] : end);
      segment(container, from, to);
      from = to;
    }
  }

  function blockElement(block, start, end) {
    const kind = block ? block.kind : "loose";
    const element = make("div", `block ${kind}${block && block.level ? ` h${block.level}` : ""}`);
    const found = leavesAt(start);
    const owner = found.length ? leaves[found[found.length - 1]] : null;
    if (owner && found.length === 1 && owner.end >= end) {
      element.classList.add("whole", found[0] % 2 ? "b" : "a");
      element.dataset.leaf = String(found[0]);
      ofLeaf[found[0]].push(element);
      if (!marked.has(found[0])) element.classList.add("first");
    }
    let body = end; // a block's trailing newlines would draw as empty lines
    while (body > start && text[body - 1] === "\n") body -= 1;
    const hashes = kind === "heading" && /^#{1,6}\s+/.exec(text.slice(start, body));
    inline(element, start, body);
    if (hashes) dimStart(element, hashes[0].length);
    return element;
  }

  function dimStart(element, length) {
    const first = element.querySelector(".segment");
    if (!first || first.textContent.length < length) return;
    const whole = first.textContent;
    first.textContent = "";
    first.append(make("span", "dim", whole.slice(0, length)), document.createTextNode(whole.slice(length)));
  }

  function looseText(container, start, end) {
    const pattern = /\S[\s\S]*?(?=\n[ \t]*\n|$)/g;
    const piece = text.slice(start, end);
    for (let found = pattern.exec(piece); found; found = pattern.exec(piece)) {
      container.append(blockElement(null, start + found.index, start + found.index + found[0].length));
    }
  }

  const blockEnds = blocks.map((block) => block.end);
  function range(container, start, end) {
    let cursor = start;
    let section = null, filled = 0;
    const place = (element, length) => {
      if (!section || filled > SECTION_CHARACTERS) {
        section = make("div", "lazy");
        filled = 0;
        container.append(section);
      }
      filled += length;
      section.append(element);
      section.style.containIntrinsicSize = `auto ${Math.ceil(filled / 78) * 25 + 20}px`;
    };
    const holder = { append: (element) => place(element, element.textContent.length) };
    for (let index = firstNotBelow(blockEnds, start + 1); index < blocks.length && blocks[index].start < end; index += 1) {
      const block = blocks[index];
      const from = Math.max(block.start, start), to = Math.min(block.end, end);
      if (from > cursor) looseText(holder, cursor, from);
      if (text.slice(from, to).trim()) place(blockElement(block, from, to), to - from);
      cursor = to;
    }
    if (cursor < end) looseText(holder, cursor, end);
  }

  function family(container, start, end, members, depth) {
    let cursor = start;
    for (const index of members) {
      const parent = parents[index];
      const from = Math.max(parent.start, cursor);
      if (from > cursor) range(container, cursor, from);
      const element = make("section", "parent");
      element.dataset.parent = String(index);
      element.style.setProperty("--depth", String(depth));
      element.classList.toggle("outer", parent.inner.length > 0);
      const label = make("span", "parent-label");
      label.title = `Parent ${index + 1}, level ${parent.level} · ${grouped(parent.tokens)} tokens · ${parent.headings.join(" › ")}`;
      label.append(make("b", "", `P${index + 1}`), make("span", "", `${grouped(parent.tokens)} tok`));
      element.append(label);
      const body = make("div", "parent-body");
      element.append(body);
      if (parent.inner.length) family(body, from, parent.end, parent.inner, depth + 1); else range(body, from, parent.end);
      container.append(element);
      cursor = Math.max(cursor, parent.end);
    }
    if (cursor < end) range(container, cursor, end);
  }

  const fragment = document.createDocumentFragment();
  family(fragment, 0, text.length, model.roots, 0);
  host.replaceChildren(fragment);
  return { segments, ofLeaf };
}
