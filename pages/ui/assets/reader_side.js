// What stands beside the text: the tree, the selected chunk, the loss audit.
function drawTree(model, host, choose) {
  const { leaves, parents, text } = model;
  const rows = new Map(), built = new Map();

  const name = (span) => {
    const words = text.slice(span.start, span.start + 90).replace(/[#*_`|>\s]+/g, " ").trim();
    return words.length > 46 ? `${words.slice(0, 45)}…` : words || "blank";
  };

  function leafRow(index) {
    const leaf = leaves[index];
    const row = make("button", `leaf-row ${index % 2 ? "b" : "a"}`);
    row.type = "button";
    row.setAttribute("role", "treeitem");
    row.append(make("b", "", String(index + 1)), make("span", "words", name(leaf)), make("i", "", grouped(leaf.tokens)));
    row.title = `Chunk ${index + 1} · ${grouped(leaf.tokens)} tokens`;
    row.onclick = () => choose(index);
    rows.set(index, row);
    return row;
  }

  function parentRow(index) {
    const parent = parents[index];
    const element = make("details", "parent-row");
    const head = make("summary", "");
    const title = parent.headings.length ? parent.headings[parent.headings.length - 1] : name(parent);
    head.append(make("b", "", `P${index + 1}`), make("span", "words", title), make("i", "", grouped(parent.tokens)));
    head.title = `${parent.headings.join(" › ") || title} · ${grouped(parent.tokens)} tokens`;
    element.append(head);
    const open = () => {
      if (built.has(index)) return;
      built.set(index, element);
      for (const inner of parent.inner) element.append(parentRow(inner));
      for (const leaf of parent.leaves) element.append(leafRow(leaf));
    };
    element.addEventListener("toggle", () => element.open && open());
    shelves.set(index, { element, open });
    return element;
  }

  const shelves = new Map();
  const fragment = document.createDocumentFragment();
  for (const root of model.roots) fragment.append(parentRow(root));
  for (const leaf of model.loose) fragment.append(leafRow(leaf));
  host.replaceChildren(fragment);
  if (model.roots.length === 1 || model.roots.length <= 6) {
    for (const root of model.roots) { shelves.get(root).open(); shelves.get(root).element.open = model.roots.length === 1; }
  }

  let lit = null;
  return (index) => {
    const line = [];
    for (let at = leaves[index].parent; at >= 0; at = parents[at].parent) line.unshift(at);
    for (const at of line) { const shelf = shelves.get(at); if (shelf) { shelf.open(); shelf.element.open = true; } }
    if (lit) lit.classList.remove("on");
    lit = rows.get(index) || null;
    if (!lit) return;
    lit.classList.add("on");
    const box = host.getBoundingClientRect(), row = lit.getBoundingClientRect();
    if (row.top < box.top || row.bottom > box.bottom) host.scrollTop += row.top - box.top - host.clientHeight / 3;
  };
}

function drawDetails(model, index, host, actions) {
  const { leaves, parents, text } = model;
  const parts = [];
  const fact = (name, value, title) => {
    const row = make("div", "fact");
    row.append(make("span", "", name), make("b", "", value));
    if (title) row.title = title;
    return row;
  };
  if (index < 0) {
    parts.push(make("h4", "", "No chunk selected"), make("p", "hint", "Click a chunk in the text, or step with [ and ]."));
  } else {
    const leaf = leaves[index];
    const head = make("div", "details-head");
    const title = make("h3", "", `Chunk ${index + 1}`);
    title.append(make("span", "", ` of ${grouped(leaves.length)}`));
    const back = make("button", "", "‹"), forth = make("button", "", "›");
    back.title = "Previous chunk, key ["; forth.title = "Next chunk, key ]";
    back.disabled = index === 0; forth.disabled = index === leaves.length - 1;
    back.onclick = () => actions.step(-1); forth.onclick = () => actions.step(1);
    head.append(title, back, forth);
    parts.push(head);

    const share = Math.min(100, (100 * leaf.encoderTokens) / model.limit);
    const gauge = make("div", "gauge");
    gauge.title = `The encoder reads at most ${grouped(model.limit)} tokens, its special tokens included`;
    const fill = make("i", leaf.encoderTokens > model.limit ? "over" : "");
    fill.style.width = `${share}%`;
    gauge.append(fill);
    parts.push(
      fact("Text", `${grouped(leaf.tokens)} tokens`),
      fact("Encoder reads", `${grouped(leaf.encoderTokens)} of ${grouped(model.limit)} tokens`, "Prefix and special tokens included"),
      gauge,
      fact("Truncated", leaf.encoderTokens > model.limit ? `${grouped(leaf.encoderTokens - model.limit)} tokens` : "0 tokens"),
      fact("Characters", `${grouped(leaf.points[0])} – ${grouped(leaf.points[1])}`, "Half-open span of Unicode code points"),
    );
    if (leaf.pages) parts.push(fact("Page", leaf.pages));
    if (leaf.parent >= 0) parts.push(fact("Parent", `P${leaf.parent + 1} · ${grouped(parents[leaf.parent].tokens)} tokens`));

    if (leaf.prefix.length) {
      parts.push(make("h4", "", "Read before it"));
      for (const part of leaf.prefix) {
        const line = make("p", "prefix-line");
        line.append(make("small", "", part.kind.replace("_", " ")), make("em", "", part.text));
        parts.push(line);
      }
    }
    if (leaf.reasons.length) {
      parts.push(make("h4", "", "Why it is cut here"));
      const list = make("ul", "");
      for (const reason of leaf.reasons) list.append(make("li", "", reason));
      parts.push(list);
    }
    const row = make("div", "actions");
    const copy = make("button", "copy", "Copy text");
    copy.onclick = () => actions.copy(text.slice(leaf.start, leaf.end), copy);
    const link = make("button", "", "Copy link");
    link.onclick = () => actions.link(leaf, link);
    row.append(copy, link);
    parts.push(row);
  }
  parts.push(drawAudit(model, actions));
  host.replaceChildren(...parts);
  host.scrollTop = 0;
}

function drawAudit(model, actions) {
  const box = make("div", "audit");
  const covered = model.characters ? (100 * model.covered) / model.characters : 100;
  const shown = covered === 100 ? "100" : Math.min(99.99, covered).toFixed(2);
  const lost = model.gaps.filter((gap) => gap.lost).length;
  box.append(make("h4", "", "Loss audit"));
  const line = make("p", model.gaps.length ? "" : "whole-cover");
  line.append(make("b", "", `${shown} %`), document.createTextNode(` of ${grouped(model.characters)} characters are in a chunk`));
  box.append(line);
  const verdict = lost ? `${grouped(lost)} ${lost === 1 ? "place is" : "places are"} lost` : "Nothing is lost; set aside:";
  if (model.gaps.length) box.append(make("p", lost ? "verdict lost" : "verdict", verdict));
  model.gaps.slice(0, 40).forEach((gap) => {
    const row = make("button", gap.lost ? "gap-row lost" : "gap-row");
    row.append(make("span", "", gap.page ? `p. ${gap.page} · ${gap.reason}` : gap.reason), make("i", "", `${grouped(gap.points[1] - gap.points[0])} chars`));
    row.onclick = () => actions.jump(gap.start, gap.page);
    box.append(row);
  });
  if (model.gaps.length > 40) box.append(make("p", "hint", `and ${grouped(model.gaps.length - 40)} more`));
  return box;
}
