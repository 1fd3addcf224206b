// Clicks on plots. Streamlit replaces a plot when its figure changes and loses clicks on the old one, so this listens
// outside the plot. A click that no plot received, because the plot was replaced between press and release or was not
// drawn yet, is repeated on the new plot once it is drawn.
const STRAY = 4; // pixels that the mouse may move within a click
const REST = 120, PATIENCE = 8000; // milliseconds: between two checks of a plot, and until a click is dropped

function createPlotListener() {
  const self = { tell() {}, within: "" };
  const known = new WeakSet();
  let pressed = null, waiting = null; // a press: its place and plot; a click to repeat: its place and time

  const plotIn = (chart) => chart && chart.querySelector(".js-plotly-plot");
  function listen(plot) {
    if (!plot || !plot.on || known.has(plot)) return;
    known.add(plot);
    const clicked = ({ points }) => {
      waiting = null;
      const { versions } = plot.layout.meta || {};
      const carried = points.map(({ customdata }) => Array.from(customdata || [])).find((each) => each.length > 1);
      if (versions && carried) self.tell("go", [versions[carried[2] || 0], carried[0], carried[1]]);
      return false; // otherwise an icicle plot enlarges the bar
    };
    for (const click of ["plotly_click", "plotly_icicleclick"]) plot.on(click, clicked);
  }

  // Repeat the click once the plot has not changed between two checks.
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
      setTimeout(again, REST, null); // a plot that can handle the click has done so by then
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
