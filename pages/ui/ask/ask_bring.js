// Scroll to the element it is mounted in, once for each new count, and focus the tab of its panel, so that Tab continues
// from there. Content above may still grow and the panel may still open, so this is repeated for a while, unless the
// user scrolls.
let brought = 0;
const WAITS = [0, 200, 600, 1500, 3000]; // milliseconds
const HANDS = ["wheel", "pointerdown", "keydown", "touchstart"];

export default function ({ data, parentElement }) {
  if (!data || data.count <= brought) return undefined;
  brought = data.count;
  const host = parentElement.host || parentElement;
  const bring = () => {
    const panel = (host.getRootNode().host || host).closest("[role=tabpanel]");
    const tab = panel && document.getElementById(panel.getAttribute("aria-labelledby")), place = tab || host;
    place.style.scrollMarginTop = "4.5rem"; // clears the page's header
    place.scrollIntoView({ block: "start" });
    if (tab && !panel.contains(document.activeElement)) tab.focus({ preventScroll: true });
  };
  const timers = WAITS.map((wait) => setTimeout(bring, wait));
  const stop = () => timers.forEach(clearTimeout);
  for (const hand of HANDS) window.addEventListener(hand, stop, { once: true, passive: true, capture: true });
  return () => { stop(); for (const hand of HANDS) window.removeEventListener(hand, stop, true); };
}
