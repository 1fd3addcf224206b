// The whole document on a strip: leaves in turn, what is in no chunk grey or, where lost, red, the selected chunk, the part in view.
function createRuler(host, go) {
  const canvas = host.querySelector("canvas"), view = host.querySelector(".view");
  const share = (event) => {
    const box = host.getBoundingClientRect();
    return Math.min(0.9999, Math.max(0, (event.clientY - box.top) / box.height));
  };
  host.addEventListener("pointerdown", (event) => {
    host.setPointerCapture(event.pointerId);
    go(share(event));
    host.onpointermove = (move) => go(share(move));
  });
  host.addEventListener("pointerup", () => { host.onpointermove = null; });

  function draw(model, selected, visible) {
    const style = getComputedStyle(host);
    const colour = (name) => style.getPropertyValue(name).trim();
    const paint = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
    const probe = host.querySelector(".probe") || host.appendChild(make("i", "probe"));
    const width = host.clientWidth, height = host.clientHeight, scale = window.devicePixelRatio || 1;
    if (!width || !height || !colour("--paper")) return;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const total = model.text.length || 1;
    const y = (position) => (position / total) * height;
    const tints = [paint("--leaf-a-strong"), paint("--leaf-b-strong")];
    model.leaves.forEach((leaf, index) => {
      pen.fillStyle = tints[index % 2];
      pen.fillRect(6, y(leaf.start), width - 8, Math.max(0.5, y(leaf.end) - y(leaf.start)));
    });
    pen.fillStyle = paint("--quiet");
    for (const parent of model.parents) if (parent.level === 1) pen.fillRect(2, y(parent.start) + 0.5, 1.5, Math.max(1, y(parent.end) - y(parent.start) - 1));
    const aside = paint("--quiet"), lost = paint("--lost");
    for (const gap of model.gaps) {
      pen.fillStyle = gap.lost ? lost : aside;
      pen.fillRect(2, y(gap.start), width - 2, Math.max(2, y(gap.end) - y(gap.start)));
    }
    if (model.focus) { pen.fillStyle = paint("--match-line"); pen.fillRect(0, y(model.focus[0]) - 1, width, Math.max(3, y(model.focus[1]) - y(model.focus[0]))); }
    if (selected >= 0) {
      const leaf = model.leaves[selected];
      pen.fillStyle = paint("--accent");
      pen.fillRect(0, y(leaf.start) - 0.5, width, Math.max(3, y(leaf.end) - y(leaf.start)));
    }
    view.hidden = !visible;
    if (visible) {
      view.style.top = `${y(visible[0])}px`;
      view.style.height = `${Math.max(8, y(visible[1]) - y(visible[0]))}px`;
    }
  }
  return { draw };
}
