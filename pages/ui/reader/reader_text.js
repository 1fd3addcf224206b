// Draws a slab of the document's text with its leaves. All text is set through textContent, never as HTML.
// look: { selected: leaf, focus: cited [start, end] or null, matches: found words, here: the present match, gold: gold spans,
// edits: from readEdits, marks: compared cuts, leads: indices of the links into the library, label: the reader's name if there are two }
const WRAPPED = new Set(["markdown", "text", "eml", "msg", "rst", "org"]); // kinds whose lines people wrap by hand
const FLOWING = new Set(["paragraph", "quote", "list", "loose"]);
const RAILS = 3; // most brackets beside each other in the margin
const HARD_LINE = /^(?:[\s\d>|#*•-]|[A-Z][\w-]{0,14}: )/; // a line that begins like this is not the continuation of a wrapped one
const MARKER = /^\s*(?:(?:[-*+•◦▪–]|\(?\w{1,4}[.)])\s+)?/; // what is before the first word of a list item

function drawSlab(model, slab, look) {
  const { text, leaves, parents, blocks, gaps, links } = model;
  const segments = [], lit = []; // lit: [leaf, element] of the elements that show whether the leaf is selected
  const element = make("section", "slab");
  const markStarts = look.marks.map((mark) => mark.position);
  let wrapped = false; // whether the block being drawn may be wrapped by hand

  const parentWords = (index) => `Parent ${index + 1}, level ${parents[index].level} · ${grouped(parents[index].tokens)} tokens · ${parents[index].headings.join(" › ")}`;

  // Draw a bracket for each parent; beyond RAILS, the outer parents share the first one.
  function brackets() {
    const { path } = slab, folded = Math.max(0, path.length - RAILS);
    path.forEach((index, depth) => {
      if (depth < folded) return;
      const rail = make("i", `rail${slab.opens[depth] ? " opens" : ""}${slab.closes[depth] ? " closes" : ""}`), outer = depth === folded && folded;
      rail.style.setProperty("--depth", String(depth - folded));
      rail.classList.toggle("many", Boolean(outer));
      rail.title = path.slice(outer ? 0 : depth, depth + 1).map(parentWords).join("\n");
      element.append(rail);
    });
    if (!path.length) return;
    const index = path[path.length - 1];
    const label = make("span", slab.opens[path.length - 1] ? "parent-label" : "parent-label again");
    label.title = path.map(parentWords).join("\n");
    label.append(make("b", "", `P${index + 1}`), make("span", "", `${grouped(parents[index].tokens)} tok`));
    if (folded) label.append(make("span", "", `+${folded} above`));
    element.append(label);
  }

  // Make the handle of a boundary, at the start of its second chunk's own text (after the overlap).
  function asHandle(sign, index) {
    const leaf = leaves[index], { ends } = index ? whyOf(leaves[index - 1]) : {}, { begins } = whyOf(leaf);
    sign.dataset.edge = String(index);
    sign.tabIndex = -1;
    sign.setAttribute("role", "button");
    const why = [ends && `Chunk ${index} ends: ${ends}`, begins && `Chunk ${index + 1} begins: ${begins}`].filter(Boolean);
    sign.setAttribute("aria-label", [index ? `Boundary between chunks ${index} and ${index + 1}` : "Beginning of chunk 1", ...why].join(". "));
    return sign;
  }

  // A chunk's number, followed by its prefixes. where: "margin" beside the line, or "inline" within it.
  function number(index, where) {
    const leaf = leaves[index], cut = make("i", `cut ${where}`);
    cut.dataset.number = String(index + 1);
    if (leaf.edge === leaf.first) asHandle(cut, index); else cut.title = `Chunk ${index + 1} begins with what it shares with the one before`;
    const parts = [cut, ...(look.edits.get(index) || []).map(editTag)];
    if (!leaf.prefix.length) return parts;
    const ghosts = make("span", `prefixes ${where}`);
    for (let at = 0; at < leaf.prefix.length; at += 2) {
      const kind = leaf.prefix[at], ghost = make("span", `prefix ${kind}`, leaf.prefix[at + 1]);
      ghost.title = `Prefix, ${kind.replace("_", " ")}: read before the chunk, outside its offsets`;
      ghosts.append(ghost);
    }
    return [...parts, ghosts];
  }

  // Where the text goes on behind a line end that wraps a paragraph or item by hand, with the indent below it; 0 for others.
  function softEnd(at) {
    const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at), column = MARKER.exec(line)[0].length;
    const indent = /^ */.exec(text.slice(at + 1, at + 60))[0].length, next = at + 1 + indent;
    return line.length < 45 || indent > column + 2 || HARD_LINE.test(text.slice(next, next + 20)) ? 0 : next;
  }

  // Append the text unchanged; line ends inside a hand-wrapped paragraph only look like blanks, by CSS.
  function put(holder, start, end) {
    let from = start;
    for (let at = wrapped ? text.indexOf("\n", start) : -1; at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
      const next = Math.min(end, softEnd(at));
      if (!next) continue;
      holder.append(text.slice(from, at), make("span", "soft", text.slice(at, next)));
      from = next;
    }
    holder.append(text.slice(from, end));
  }

  function words(holder, start, end) {
    const { matches } = look;
    let cursor = start;
    for (let index = matches ? firstNotBelow(matches.ends, start + 1) : 0; matches && index < matches.starts.length && matches.starts[index] < end; index += 1) {
      const from = Math.max(start, matches.starts[index]), to = Math.min(end, matches.ends[index]);
      if (from > cursor) put(holder, cursor, from);
      const mark = make("mark", index === look.here ? "found here" : "found");
      put(mark, from, to);
      mark.dataset.match = String(index);
      holder.append(mark);
      cursor = to;
    }
    if (cursor < end) put(holder, cursor, end);
  }

  function segment(run, start, end, { found, gap, cited, gold, unread }) {
    const piece = make("span", "segment");
    setPlace(piece, model.source, start);
    words(piece, start, end);
    if (found.length) piece.dataset.leaf = String(found.at(-1));
    if (found.length > 1) {
      piece.classList.add("overlap");
      piece.title = `Overlap of chunks ${found.map((index) => index + 1).join(" and ")}`;
    }
    if (unread >= 0) {
      piece.classList.add("unread");
      piece.title = `Truncated: the encoder reads chunk ${unread + 1} up to here`;
    }
    const link = holderOf(links, model.linkStarts, start);
    if (link >= 0) asLink(piece, links[link].target, link, look.leads.has(link));
    piece.classList.toggle("gap", gap >= 0);
    piece.classList.toggle("focus", cited);
    piece.classList.toggle("gold", gold >= 0);
    if (gold >= 0) piece.dataset.gold = look.gold[gold].key;
    piece.classList.toggle("on", found.includes(look.selected));
    for (const index of found) lit.push([index, piece]);
    segments.push({ start, end, element: piece });
    run.append(piece);
  }

  const gapClass = (gap) => (gaps[gap].off ? "off" : gaps[gap].lost ? "lost" : "aside");

  // Begin a run: consecutive text of one leaf or of one gap, with one background colour.
  function newRun(container, { found, gap }) {
    const run = make("span", "run"), owner = found.at(-1);
    if (found.length) {
      run.classList.add(owner % 2 ? "b" : "a");
      run.classList.toggle("on", owner === look.selected);
      lit.push([owner, run]);
    } else if (gap >= 0) {
      run.classList.add("gap", gapClass(gap));
      run.dataset.gap = String(gap);
    }
    container.append(run);
    return run;
  }

  // Draw text[start, end). where: how the number of a chunk that begins at `start` is shown, as in `number`.
  function inline(container, start, end, where = "inline") {
    const cuts = [end];
    for (let index = firstNotBelow(model.borders, start + 1); index < model.borders.length && model.borders[index] < end; index += 1) cuts.push(model.borders[index]);
    for (let index = firstNotBelow(markStarts, start + 1); index < look.marks.length && look.marks[index].position < end; index += 1) cuts.push(look.marks[index].position);
    for (const border of look.focus || []) if (border > start && border < end) cuts.push(border);
    const golds = look.gold.flatMap((gold, index) => (gold.start < end && gold.end > start ? [index] : []));
    for (const index of golds) for (const border of [look.gold[index].start, look.gold[index].end]) if (border > start && border < end) cuts.push(border);
    cuts.sort((one, other) => one - other);
    const begins = (place, from, to) => place >= from && place < to;
    let from = start, run = null, holder = "";
    for (const to of cuts) {
      if (to <= from) continue;
      const found = leavesAt(model, from), gap = found.length ? -1 : holderOf(gaps, model.gapStarts, from);
      const cited = Boolean(look.focus) && from >= look.focus[0] && to <= look.focus[1];
      const here = `${found.at(-1)} ${gap}`;
      const spot = from - start < 40 && !text.slice(start, from).trim() ? where : "inline"; // nothing but an indent is before it
      for (let at = firstNotBelow(markStarts, from); at < look.marks.length && begins(look.marks[at].position, from, to); at += 1) container.append(compareMark(look.marks[at].fate));
      for (const index of found) if (begins(leaves[index].first, from, to)) container.append(...number(index, spot));
      for (const index of found) if (leaves[index].edge > leaves[index].first && begins(leaves[index].edge, from, to)) container.append(asHandle(make("i", "cut edge inline"), index));
      if (gap >= 0 && begins(gaps[gap].start, from, to)) container.append(make("span", `gap-word ${gapClass(gap)}`, gapWord(gaps[gap])));
      if (here !== holder) { run = newRun(container, { found, gap }); holder = here; }
      const unread = found.findLast((index) => leaves[index].unread !== null && leaves[index].unread <= from) ?? -1;
      if (unread >= 0 && begins(afterBlanks(text, leaves[unread].unread), from, to)) run.append(make("em", "tag unread-tag", "not read"));
      if (cited && begins(afterBlanks(text, look.focus[0]), from, to)) run.append(make("em", "tag", "cited"));
      for (const index of golds) if (begins(look.gold[index].start, from, to)) run.append(goldTag(look.gold[index].questions));
      segment(run, from, to, { found, gap, cited, unread, gold: golds.findLast((index) => look.gold[index].start <= from && look.gold[index].end >= to) ?? -1 });
      from = to;
    }
  }

  // Draw a list; the wrapped lines of an item are indented to its first word.
  function drawList(holder, start, end) {
    for (let from = start; from < end;) {
      let to = text.indexOf("\n", from);
      while (wrapped && to >= 0 && to < end && softEnd(to)) to = text.indexOf("\n", to + 1);
      if (to < 0 || to > end) to = end;
      const marker = MARKER.exec(text.slice(from, Math.min(to, from + 60)))[0].length;
      const item = make("div", "item");
      item.style.setProperty("--hang", String(marker));
      inline(item, from, to, from === start ? "margin" : "inline");
      if (to < end) item.append("\n");
      holder.append(item);
      from = to + 1;
    }
  }

  // Draw HTML with its tags smaller and quieter than its words.
  function drawTagged(holder, start, end) {
    const tag = /<[^<>]*>/g;
    tag.lastIndex = start;
    const where = (at) => (at === start ? "margin" : "inline");
    for (let from = start; from < end;) {
      const found = tag.exec(text), opens = found && found.index < end ? found.index : end, closes = found ? Math.min(end, found.index + found[0].length) : end;
      if (opens > from) inline(holder, from, opens, where(from));
      if (closes > opens) {
        const sign = make("span", "tag-source");
        inline(sign, opens, closes, where(opens));
        holder.append(sign);
      }
      from = Math.max(opens, closes);
    }
  }

  // The columns of blanks before the first line of code, which are outside its block: lines below have theirs in the text.
  function indentBefore(start) {
    const blanks = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    return /^[ \t]*$/.test(blanks) ? blanks.replaceAll("\t", "        ").length : 0;
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
    const gap = found.length ? -1 : holderOf(gaps, model.gapStarts, afterBlanks(text, start));
    if (gap >= 0 && gaps[gap].end >= body) holder.classList.add("apart", gapClass(gap));
    if (gap >= 0) holder.dataset.gap = String(gap);
    if (kind === "code") holder.style.textIndent = `${indentBefore(start)}ch`;
    wrapped = WRAPPED.has(model.kind) && FLOWING.has(kind);
    if (kind === "list") { drawList(holder, start, body); return holder; }
    if (kind === "table") {
      drawTable(model, blocks[block], start, body, holder, inline);
      return holder;
    }
    if (["heading", "html", "rule"].includes(kind) && isHtml(text, start)) { drawTagged(holder, start, body); return holder; }
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

// Links have no href, so that the browser cannot prefetch them: only a click or a key follows one.
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;
function asLink(element, target, index, leads) {
  const outside = SAFE_LINK.test(target);
  element.classList.add("link");
  element.title = `${target.replace(/^wiki:/, "")}${outside ? "\nOpens in a new window" : leads ? "\nOpens here" : ""}`;
  if (!outside && !leads) return;
  element.dataset.link = String(index);
  element.tabIndex = 0;
  element.setAttribute("role", "link");
}
