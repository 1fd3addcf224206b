// Where a click on a plot leads. Streamlit puts another plot in the place of one whose figure changes, and forgets what
// is clicked in the old one from then on; this listens from outside, and stays. A click that no plot could take, because
// it was replaced between press and release or not drawn yet, is made again in the plot that has come to rest there.
const STRAY = 4; // pixels that a mouse may move in a click
const REST = 120, PATIENCE = 8000; // milliseconds: between two looks at a plot, and until a click is forgotten

function createPlotListener() {
  const self = { tell() {}, within: "" };
  const known = new WeakSet();
  let pressed = null, waiting = null; // of a press its place, and the plot it was on; of a click its place and time

  const plotIn = (chart) => chart && chart.querySelector(".js-plotly-plot");
  function listen(plot) {
    if (!plot || !plot.on || known.has(plot)) return;
    known.add(plot);
    const clicked = ({ points }) => {
      waiting = null;
      const { versions } = plot.layout.meta || {};
      const carried = points.map(({ customdata }) => Array.from(customdata || [])).find((each) => each.length > 1);
      if (versions && carried) self.tell("go", [versions[carried[2] || 0], carried[0], carried[1]]);
      return false; // or an icicle grows the bar
    };
    for (const click of ["plotly_click", "plotly_icicleclick"]) plot.on(click, clicked);
  }

  // The plot that is there now, once nothing of it has changed between two looks.
  function again(before) {
    if (!waiting) return;
    if (performance.now() - waiting.since > PATIENCE) { waiting = null; return; }
    const plot = [...document.querySelectorAll(`${self.within} .stPlotlyChart`)].map(plotIn).find((each) => each && holds(each, waiting));
    const ground = plot && plot.on && plot.querySelector(".nsewdrag");
    const idle = document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning";
    const look = ground && idle ? plot.querySelector(".main-svg") : null;
    if (look && look === before) clickAgain(plot, ground); else setTimeout(again, REST, look);
  }
  function holds(plot, { x, y }) {
    const box = plot.getBoundingClientRect();
    return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
  }
  function clickAgain(plot, ground) {
    const { x, y } = waiting, where = { bubbles: true, cancelable: true, view: window, clientX: x, clientY: y, button: 0 };
    waiting = null;
    if (!holds(ground, { x, y })) return;
    listen(plot);
    for (const kind of ["mousemove", "mousedown", "mouseup"]) {
      (kind === "mouseup" ? document.querySelector(".dragcover") || ground : ground).dispatchEvent(new MouseEvent(kind, { ...where, buttons: kind === "mousedown" ? 1 : 0 }));
    }
  }

  const onDown = (event) => {
    const chart = !event.button && event.isTrusted && event.target.closest?.(`${self.within} .stPlotlyChart`);
    pressed = chart ? { x: event.clientX, y: event.clientY } : null;
    if (chart) listen(plotIn(chart));
  };
  const onUp = (event) => {
    if (pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) <= STRAY) {
      waiting = { x: event.clientX, y: event.clientY, since: performance.now() };
      setTimeout(again, REST, null); // by then a plot that could take it has
    }
    pressed = null;
  };
  window.addEventListener("pointerdown", onDown, true);
  window.addEventListener("pointerup", onUp, true);
  self.close = () => {
    window.removeEventListener("pointerdown", onDown, true);
    window.removeEventListener("pointerup", onUp, true);
    waiting = null;
  };
  return self;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const listener = mounted(parentElement, createPlotListener);
  listener.tell = setTriggerValue;
  if (data) listener.within = data.within;
  return unmounting(parentElement);
}
