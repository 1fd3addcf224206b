// Plots get their colours from Python, so a page is drawn again if Streamlit's theme has changed since. This is checked
// when a page is drawn, and for a while after the system turns dark or light, since Streamlit follows a moment later.
const LOOK = 100, PATIENCE = 10000; // milliseconds: between two checks, and until the checks end
const MOST = 5; // most requests in a row to draw a page again, in case Python never learns of the theme

function createWatch(host) {
  const self = { drawnDark: null, tell() {} };
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let timer = 0, until = 0, asked = 0;
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

  function showsDark() {
    const paper = getComputedStyle(host).getPropertyValue("--st-background-color").trim();
    if (!paper) return null;
    brush.fillStyle = paper;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue] = brush.getImageData(0, 0, 1, 1).data;
    return red + green + blue < 3 * 128;
  }

  function look() {
    clearTimeout(timer);
    const dark = showsDark();
    if (dark === self.drawnDark) asked = 0;
    else if (dark !== null && asked < MOST) { asked += 1; self.tell("theme", dark); return; } // the page drawn next checks again
    if (performance.now() < until) timer = setTimeout(look, LOOK);
  }

  self.drawn = (dark) => { self.drawnDark = dark; host.dataset.drawn = dark ? "dark" : "light"; until = Math.max(until, performance.now() + LOOK); look(); };
  const turned = () => { until = performance.now() + PATIENCE; asked = 0; look(); };
  system.addEventListener("change", turned);
  self.close = () => { clearTimeout(timer); system.removeEventListener("change", turned); };
  return self;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const watch = mounted(parentElement, (element) => createWatch(element.host ?? element));
  watch.tell = setTriggerValue;
  watch.drawn(data.dark);
  return unmounting(parentElement);
}
