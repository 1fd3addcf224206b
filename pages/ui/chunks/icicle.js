// The icicle of a cut, on the text's own axis from top to bottom. Bars are placed in shares of the text, so that coming
// closer moves none of them; and a click is told by where it falls, so that it counts while they are being changed.
const CLOSEST = 256; // times the height of the plot that the whole text may take
const ROOM = 12, THIN = 4; // pixels: what a bar needs for its words, and for a line that parts it from the next
const STRAY = 4; // pixels that a mouse may move in a click
const FEW = 0.56, MANY = 0.68; // shares of the scale between which only one theme's ink can still be read

function createIcicle(root) {
  const frame = root.querySelector(".icicle"), plot = frame.querySelector(".plot"), layer = frame.querySelector(".bars");
  const tip = frame.querySelector(".tip"), most = frame.querySelector(".most");
  let data = null, elements = [], zoom = 1, height = 0, held = null; // height: of the plot, in pixels
  const self = { tell() {} };
  const length = () => data.end - data.start;

  function refresh() { // what depends on how near one is
    const pixels = (height * zoom) / length();
    layer.style.height = `${100 * zoom}%`;
    data.bars.forEach((bar, index) => {
      const high = (bar.end - bar.start) * pixels;
      elements[index].classList.toggle("narrow", high < ROOM);
      elements[index].classList.toggle("thin", high < THIN);
    });
  }

  function barElement(bar) {
    const element = make("div", "bar"), share = Math.min(1, bar.tokens / data.most);
    element.style.cssText = `--column:${bar.column};--tokens:${share.toFixed(3)};top:${(100 * (bar.start - data.start)) / length()}%;height:${(100 * (bar.end - bar.start)) / length()}%`;
    if (share > MANY) element.classList.add("many"); else if (share > FEW) element.classList.add("middling");
    if (bar.count === 1) element.append(make("span", "", bar.leaf < 0 ? bar.label : grouped(bar.leaf + 1)));
    if (bar.count === 1 && bar.leaf >= 0 && bar.leaf === data.chosen) element.classList.add("on");
    return element;
  }

  function at(event) { // the bar under the mouse, if there is one
    if (!data) return undefined;
    const box = plot.getBoundingClientRect();
    const column = Math.floor((data.columns * (event.clientX - box.left)) / box.width);
    const place = data.start + (length() * (event.clientY - box.top + plot.scrollTop)) / (box.height * zoom);
    return data.bars.find((bar) => bar.column === column && bar.start <= place && place < bar.end);
  }

  function approach(times, y) { // the text at this height of the plot stays where it is
    const before = zoom, under = plot.scrollTop + y;
    zoom = Math.min(CLOSEST, Math.max(1, zoom * times));
    refresh();
    plot.scrollTop = (under * zoom) / before - y;
  }

  function point(event) {
    const bar = held && held.dragged ? undefined : at(event);
    tip.hidden = !bar;
    if (!bar) return;
    const size = `${grouped(bar.tokens)} ${Math.round(bar.tokens) === 1 ? "token" : "tokens"}`;
    tip.textContent = bar.count === 1 ? `${bar.label}\n${size}` : `${grouped(bar.count)} chunks from here: ${bar.label}\n${size} on average`;
    const box = frame.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    tip.style.left = `${Math.max(0, Math.min(x + 12, box.width - tip.offsetWidth))}px`;
    tip.style.top = `${y + 16 + tip.offsetHeight > box.height ? Math.max(0, y - tip.offsetHeight - 8) : y + 16}px`;
  }

  plot.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (!data) return;
    approach(2 ** (-event.deltaY / 400), event.clientY - plot.getBoundingClientRect().top);
    point(event);
  }, { passive: false });
  plot.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held = { x: event.clientX, y: event.clientY, top: plot.scrollTop, dragged: false };
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (held && !held.dragged) held.dragged = Math.hypot(event.clientX - held.x, event.clientY - held.y) > STRAY;
    if (held && held.dragged) plot.scrollTop = held.top + held.y - event.clientY;
    point(event);
  });
  plot.addEventListener("pointerup", (event) => {
    const bar = held && !held.dragged && at(event);
    held = null;
    if (bar) self.tell("go", [data.version, Math.min(bar.start, bar.from), bar.end]);
  });
  plot.addEventListener("pointercancel", () => { held = null; });
  plot.addEventListener("pointerleave", () => { tip.hidden = true; });
  plot.addEventListener("dblclick", () => { zoom = 1; refresh(); });
  const resized = new ResizeObserver(() => { height = plot.clientHeight; if (data) refresh(); });
  resized.observe(plot);

  self.update = (next) => {
    const started = performance.now();
    if (!data || data.version !== next.version) zoom = 1;
    data = next;
    plot.setAttribute("aria-label", data.alt);
    most.textContent = grouped(data.most);
    layer.style.setProperty("--columns", data.columns);
    elements = data.bars.map(barElement);
    refresh();
    layer.replaceChildren(...elements); // as high as before: the same part of the text stays in sight
    performance.measure("lectern.icicle", { start: started });
  };
  self.close = () => resized.disconnect();
  return self;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const icicle = mounted(parentElement, createIcicle);
  icicle.tell = setTriggerValue;
  if (data) icicle.update(data);
  return unmounting(parentElement);
}
