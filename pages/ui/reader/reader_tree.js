// The chunk tree. Only the rows in view are in the page, so that a tree with thousands of rows opens at once.
const ROW = 27; // height of a row in pixels

function createTree(host, choose) {
  const body = make("div", "tree-rows");
  host.replaceChildren(body);
  host.tabIndex = 0;
  let model = null, rows = [], opened = new Set(), chosen = -1, active = 0;

  const nameOf = (span) => {
    const source = model.text.slice(span.start, span.start + 300), bare = model.kind === "markdown" ? source.replace(/<[^<>]*(?:>|$)/g, " ") : source;
    const words = bare.replace(/[#*_`|>\s]+/g, " ").trim();
    return words.length > 60 ? `${words.slice(0, 59)}…` : words || "blank";
  };

  const deep = (parent, end) => { // the first (end 0) or last (end -1) leaf below a parent
    const { inner, leaves } = model.parents[parent];
    return leaves.length ? model.leaves[leaves.at(end)] : inner.length ? deep(inner.at(end), end) : null;
  };
  // A parent's title: the heading that all its leaves share, else its first and last heading.
  function titleOf(index) {
    const first = deep(index, 0), last = deep(index, -1), parent = model.parents[index];
    if (!first || !first.headings.length || !last.headings.length) return nameOf(parent);
    const shared = first.headings.filter((heading, at) => first.headings.slice(0, at + 1).every((each, place) => each === last.headings[place]));
    const whole = shared.length === first.headings.length || shared.length === last.headings.length;
    if (shared.length && (whole || parent.inner.length)) return shared.at(-1);
    const named = parent.inner.length ? 0 : -1;
    return `${first.headings.at(named)} – ${last.headings.at(named)}`;
  }

  // Collect the visible rows in order: { parent, leaf (-1 for the other one), depth, place among its `size` siblings }.
  function unfold() {
    rows = [];
    const family = (parents, leaves, depth) => {
      const size = parents.length + leaves.length;
      parents.forEach((parent, place) => {
        rows.push({ parent, leaf: -1, depth, place, size });
        if (opened.has(parent)) family(model.parents[parent].inner, model.parents[parent].leaves, depth + 1);
      });
      leaves.forEach((leaf, place) => rows.push({ parent: -1, leaf, depth, place: parents.length + place, size }));
    };
    family(model.roots, model.loose, 0);
    body.style.height = `${rows.length * ROW}px`;
    active = Math.min(active, Math.max(0, rows.length - 1));
  }

  function rowElement(row, index) {
    const isLeaf = row.leaf >= 0, span = isLeaf ? model.leaves[row.leaf] : model.parents[row.parent];
    const element = make("div", isLeaf ? `leaf-row ${row.leaf % 2 ? "b" : "a"}` : "parent-row");
    element.id = `row-${index}`;
    element.style.top = `${index * ROW}px`;
    element.style.setProperty("--depth", String(row.depth));
    element.setAttribute("role", "treeitem");
    element.setAttribute("aria-level", String(row.depth + 1));
    element.setAttribute("aria-posinset", String(row.place + 1));
    element.setAttribute("aria-setsize", String(row.size));
    element.setAttribute("aria-selected", String(isLeaf && row.leaf === chosen));
    if (!isLeaf) element.setAttribute("aria-expanded", String(opened.has(row.parent)));
    element.classList.toggle("on", isLeaf && row.leaf === chosen);
    element.classList.toggle("active", index === active);
    const title = isLeaf ? nameOf(span) : titleOf(row.parent);
    const number = make("b", "", isLeaf ? String(row.leaf + 1) : `P${row.parent + 1}`);
    element.append(number, make("span", "words", title), make("i", "", grouped(span.tokens)));
    element.title = isLeaf ? `Chunk ${row.leaf + 1} · ${grouped(span.tokens)} tokens`
      : `Parent ${row.parent + 1} · ${title} · ${grouped(span.tokens)} tokens`;
    element.onclick = () => { active = index; act(index); };
    return element;
  }

  function render() {
    if (!model) return;
    const from = Math.max(0, Math.floor(host.scrollTop / ROW) - 10);
    const to = Math.min(rows.length, Math.ceil((host.scrollTop + host.clientHeight) / ROW) + 10);
    const drawn = [];
    for (let index = from; index < to; index += 1) drawn.push(rowElement(rows[index], index));
    if (active < from || active >= to) host.removeAttribute("aria-activedescendant");
    else host.setAttribute("aria-activedescendant", `row-${active}`);
    body.replaceChildren(...drawn);
  }

  function keepInView(index) {
    const top = index * ROW, shelf = host.clientHeight;
    if (top < host.scrollTop || top + ROW > host.scrollTop + shelf) host.scrollTop = top - shelf / 3;
  }

  function fold(parent, open) {
    if (open) opened.add(parent); else opened.delete(parent);
    unfold();
    render();
  }

  function act(index) {
    const row = rows[index];
    if (row.leaf >= 0) choose(row.leaf); else fold(row.parent, !opened.has(row.parent));
  }

  function move(to) {
    active = Math.min(rows.length - 1, Math.max(0, to));
    keepInView(active);
    render();
  }

  const up = (index) => { // the row of the parent
    let at = index;
    while (at > 0 && rows[at].depth >= rows[index].depth) at -= 1;
    return at;
  };
  const keys = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    ArrowRight: ({ parent }) => { if (parent < 0) return; if (opened.has(parent)) move(active + 1); else fold(parent, true); },
    ArrowLeft: ({ parent }) => { if (parent >= 0 && opened.has(parent)) fold(parent, false); else move(up(active)); },
    Enter: () => act(active),
    " ": () => act(active),
  };
  host.addEventListener("keydown", (event) => {
    if (!keys[event.key] || !rows.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key](rows[active]);
  });
  host.addEventListener("scroll", render, { passive: true });
  const sized = new ResizeObserver(render);
  sized.observe(host);

  return {
    // same: another cut of the same text, where open parents stay open, matched by their start. leaf: selected, or -1.
    load(next, same = false, leaf = -1) {
      const places = new Set(same && model ? [...opened].map((parent) => model.parents[parent].start) : []);
      model = next;
      opened = new Set(next.roots.length === 1 ? next.roots : []);
      next.parents.forEach((parent, index) => { if (places.has(parent.start)) opened.add(index); });
      chosen = -1;
      active = 0;
      if (!same) host.scrollTop = 0;
      if (leaf >= 0) this.show(leaf, true);
      else { unfold(); render(); }
    },
    // Highlight the row of a leaf and open its parents. anew: the rows belong to a former cut.
    show(leaf, anew = false) {
      chosen = leaf;
      if (leaf >= 0) {
        const shut = [];
        for (let at = model.leaves[leaf].parent; at >= 0; at = model.parents[at].parent) if (!opened.has(at)) shut.push(at);
        if (shut.length || anew) { shut.forEach((parent) => opened.add(parent)); unfold(); }
        active = Math.max(0, rows.findIndex((row) => row.leaf === leaf));
        keepInView(active);
      }
      render();
    },
    close: () => sized.disconnect(),
  };
}
