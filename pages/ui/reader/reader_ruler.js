// An overview of the whole document as a strip with a lane each for parents, leaves, gaps, gold and matches.
const LANES = { parent: [1, 2], leaf: [4, 7], gap: [12, 3], gold: [16, 4], found: [21, 4] }; // left edge and width in pixels

function createRuler(host, go) {
  const canvas = host.querySelector("canvas"), view = host.querySelector(".view"), probe = host.querySelector(".probe");
  const kept = document.createElement("canvas"); // the part that changes only with the document
  let key = "";
  const share = (event) => {
    const box = host.getBoundingClientRect();
    return Math.min(0.9999, Math.max(0, (event.clientY - box.top) / box.height));
  };
  host.addEventListener("pointerdown", (event) => {
    host.setPointerCapture(event.pointerId);
    go(share(event));
    host.onpointermove = (move) => go(share(move));
  });
  for (const end of ["pointerup", "pointercancel"]) host.addEventListener(end, () => { host.onpointermove = null; });

  const paint = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };

  // Leaves in alternating colours; if many fall on one pixel, alternating by parent; if parents are too many as well, one colour.
  function drawKept(model, height, scale, colours) {
    kept.width = canvas.width;
    kept.height = canvas.height;
    const pen = kept.getContext("2d"), total = model.text.length || 1;
    pen.scale(scale, scale);
    const y = (position) => (position / total) * height;
    const lane = ([left, width], from, to, least) => pen.fillRect(left, y(from), width, Math.max(least, y(to) - y(from)));
    const level = model.parents.filter((parent) => parent.leaves.length);
    const turns = model.leaves.length < height / 2 ? model.leaves : level.length < height / 2 ? level : [];
    pen.fillStyle = colours.a;
    for (const leaf of turns.length ? [] : model.leaves) lane(LANES.leaf, leaf.start, leaf.end, 1 / scale);
    turns.forEach((span, index) => { pen.fillStyle = index % 2 ? colours.b : colours.a; lane(LANES.leaf, span.start, span.end, 0.5); });
    pen.fillStyle = colours.quiet;
    if (level.length < height / 3) for (const { start, end } of level) pen.fillRect(LANES.parent[0], y(start) + 0.5, LANES.parent[1], Math.max(1, y(end) - y(start) - 1));
    for (const gap of model.gaps) { // lost is red and wide, set aside is grey and narrow
      pen.fillStyle = gap.lost ? colours.lost : colours.quiet;
      lane(gap.lost ? [LANES.leaf[0], 11] : LANES.gap, gap.start, gap.end, 2);
    }
  }

  // seen: the first and last offset in view, or null.
  function draw(model, { selected, focus, matches, here, gold }, seen) {
    const width = host.clientWidth, height = host.clientHeight, scale = window.devicePixelRatio || 1;
    if (!width || !height) return;
    const colours = { a: paint("--leaf-a-edge"), b: paint("--leaf-b-edge"), quiet: paint("--quiet"), lost: paint("--lost"), match: paint("--match-edge"), accent: paint("--accent"), gold: paint("--gold") };
    const now = [model.key, width, height, scale, Object.values(colours)].join("|");
    if (now !== key) {
      key = now;
      canvas.width = width * scale;
      canvas.height = height * scale;
      drawKept(model, height, scale, colours);
    }
    const pen = canvas.getContext("2d"), total = model.text.length || 1;
    const y = (position) => (position / total) * height;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(kept, 0, 0);
    pen.scale(scale, scale);
    pen.fillStyle = colours.gold;
    for (const { start, end } of gold) pen.fillRect(LANES.gold[0], y(start), LANES.gold[1], Math.max(3, y(end) - y(start)));
    if (matches) {
      pen.fillStyle = colours.match;
      let drawn = -2;
      for (const start of matches.starts) { const at = Math.round(y(start)); if (at > drawn + 1) { drawn = at; pen.fillRect(LANES.found[0], at - 1, LANES.found[1], 2); } }
      if (here >= 0) pen.fillRect(LANES.leaf[0], y(matches.starts[here]) - 1.5, width, 3);
    }
    if (focus) { pen.fillStyle = colours.match; pen.fillRect(LANES.leaf[0], y(focus[0]) - 1, width, Math.max(3, y(focus[1]) - y(focus[0]))); }
    if (selected >= 0) { pen.fillStyle = colours.accent; pen.fillRect(0, y(model.leaves[selected].start) - 0.5, 12, Math.max(3, y(model.leaves[selected].end) - y(model.leaves[selected].start))); }
    view.hidden = !seen;
    if (!seen) return;
    const tall = Math.max(10, y(seen[1]) - y(seen[0]));
    view.style.top = `${Math.min(height - tall, y(seen[0]))}px`;
    view.style.height = `${tall}px`;
  }
  return { draw };
}
