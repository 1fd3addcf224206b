// A slab of the document's text with its leaves drawn on it. Every character shown comes through textContent.
// look: { selected: leaf, focus: [start, end] or null, matches: what was found, here: the match in turn }
function drawSlab(model, slab, look) {
  const { text, leaves, parents, blocks, gaps, links } = model;
  const segments = [], lit = []; // lit: [leaf, element] for what shows that a leaf is chosen
  const element = make("section", "slab");

  function brackets() {
    slab.path.forEach((index, depth) => {
      const rail = make("i", `rail${slab.opens[depth] ? " opens" : ""}${slab.closes[depth] ? " closes" : ""}`);
      rail.style.setProperty("--depth", String(depth));
      element.append(rail);
    });
    element.style.setProperty("--rails", String(slab.path.length));
    if (!slab.path.length) return;
    const index = slab.path[slab.path.length - 1], parent = parents[index];
    const label = make("span", slab.opens[slab.path.length - 1] ? "parent-label" : "parent-label again");
    label.title = `Parent ${index + 1}, level ${parent.level} · ${grouped(parent.tokens)} tokens · ${parent.headings.join(" › ")}`;
    label.append(make("b", "", `P${index + 1}`), make("span", "", `${grouped(parent.tokens)} tok`));
    element.append(label);
  }

  // A chunk's number, and its prefixes behind it. where: "margin" beside the line, "inline" in the middle of one.
  function number(index, where) {
    const leaf = leaves[index], cut = make("i", `cut ${where}`);
    cut.dataset.number = String(index + 1);
    cut.title = `Chunk ${index + 1} · ${grouped(leaf.tokens)} tokens`;
    if (!leaf.prefix.length) return [cut];
    const ghosts = make("span", `prefixes ${where}`);
    for (let at = 0; at < leaf.prefix.length; at += 2) {
      const ghost = make("span", "prefix", leaf.prefix[at + 1]);
      ghost.title = `Prefix, ${leaf.prefix[at].replace("_", " ")}: read before the chunk, outside its offsets`;
      ghosts.append(ghost);
    }
    return [cut, ghosts];
  }

  function words(holder, start, end) {
    const { matches } = look;
    let cursor = start;
    for (let index = matches ? firstNotBelow(matches.ends, start + 1) : 0; matches && index < matches.starts.length && matches.starts[index] < end; index += 1) {
      const from = Math.max(start, matches.starts[index]), to = Math.min(end, matches.ends[index]);
      if (from > cursor) holder.append(text.slice(cursor, from));
      const mark = make("mark", index === look.here ? "found here" : "found", text.slice(from, to));
      mark.dataset.match = String(index);
      holder.append(mark);
      cursor = to;
    }
    if (cursor < end) holder.append(text.slice(cursor, end));
  }

  function segment(container, start, end, where) {
    const found = leavesAt(model, start);
    for (const index of where === "none" ? [] : found) {
      if (leaves[index].first >= start && leaves[index].first < end) container.append(...number(index, where));
    }
    const gap = found.length ? -1 : holderOf(gaps, model.gapStarts, start);
    if (gap >= 0 && gaps[gap].start >= start) {
      container.append(make("span", gaps[gap].lost ? "gap-word lost" : "gap-word", `in no chunk: ${gaps[gap].reason}`));
    }
    const cited = look.focus && start >= look.focus[0] && end <= look.focus[1];
    if (cited && afterBlanks(text, look.focus[0]) >= start && afterBlanks(text, look.focus[0]) < end) container.append(make("em", "tag", "cited"));
    const piece = make("span", "segment");
    words(piece, start, end);
    if (found.length) {
      const owner = found[found.length - 1];
      piece.dataset.leaf = String(owner);
      piece.classList.add(owner % 2 ? "b" : "a");
      if (found.length > 1) {
        piece.classList.add("overlap");
        piece.title = `Overlap of chunks ${found.map((index) => index + 1).join(" and ")}`;
      }
    } else if (gap >= 0) piece.classList.add("gap", gaps[gap].lost ? "lost" : "aside");
    const link = holderOf(links, model.linkStarts, start);
    if (link >= 0) asLink(piece, links[link].target);
    piece.classList.toggle("focus", Boolean(cited));
    piece.classList.toggle("on", found.includes(look.selected));
    for (const index of found) lit.push([index, piece]);
    segments.push({ start, end, element: piece });
    container.append(piece);
  }

  // where: how the number of a chunk that begins with the first character is shown; "none" where it is already.
  function inline(container, start, end, where = "inline") {
    const cuts = [];
    for (let index = firstNotBelow(model.borders, start + 1); index < model.borders.length && model.borders[index] < end; index += 1) cuts.push(model.borders[index]);
    if (look.focus) for (const border of look.focus) if (border > start && border < end) cuts.push(border);
    cuts.push(end);
    cuts.sort((a, b) => a - b);
    let from = start;
    for (const to of cuts) {
      if (to > from) segment(container, from, to, from === start ? where : "inline");
      from = to;
    }
  }

  function piece({ block, start, end }) {
    const { kind, level } = block < 0 ? { kind: "loose", level: 0 } : blocks[block];
    const holder = make("div", `block ${kind}${level ? ` h${level}` : ""}`);
    const found = leavesAt(model, afterBlanks(text, start));
    const only = found.length === 1 ? found[0] : -1;
    let body = end; // a block's trailing newlines would draw as empty lines
    while (body > start && text[body - 1] === "\n") body -= 1;
    const whole = only >= 0 && leaves[only].end >= body;
    if (whole) {
      holder.classList.add("whole", only % 2 ? "b" : "a");
      holder.classList.toggle("first", leaves[only].first >= start);
      holder.classList.toggle("last", leaves[only].end <= end);
      holder.classList.toggle("on", only === look.selected);
      holder.dataset.leaf = String(only);
      lit.push([only, holder]);
    }
    if (kind === "table" && drawTable(model, blocks[block], start, body, holder, { inline, number, lit, selected: look.selected, whole })) return holder;
    const hashes = kind === "heading" ? (/^#{1,6}\s+/.exec(text.slice(start, body)) || [""])[0].length : 0;
    inline(holder, start, body, "margin");
    const opening = hashes && holder.querySelector(".segment").firstChild;
    if (opening && opening.nodeType === Node.TEXT_NODE && opening.length >= hashes) {
      opening.splitText(hashes);
      opening.replaceWith(make("span", "dim", opening.data));
    }
    return holder;
  }

  brackets();
  for (const each of slab.pieces) element.append(piece(each));
  return { element, segments, lit };
}

// A link is shown and not followed: without an address of its own the browser cannot look it up by itself.
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;
function asLink(element, target) {
  element.classList.add("link");
  element.title = SAFE_LINK.test(target) ? `${target}\nOpens in a new window` : target;
  if (!SAFE_LINK.test(target)) return;
  element.dataset.target = target;
  element.tabIndex = 0;
  element.setAttribute("role", "link");
}

function openLink(target) {
  if (SAFE_LINK.test(target)) window.open(target, "_blank", "noopener,noreferrer");
}
