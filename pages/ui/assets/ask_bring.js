// Brings the place where it stands into view, once for each new count. What stands above may still grow: it is brought
// again for a while, unless a person moves the page.
let brought = 0;
const WAITS = [0, 200, 600, 1500]; // milliseconds
const HANDS = ["wheel", "pointerdown", "keydown", "touchstart"];

export default function ({ data, parentElement }) {
  if (!data || data.count <= brought) return undefined;
  brought = data.count;
  const host = parentElement.host || parentElement;
  const timers = WAITS.map((wait) => setTimeout(() => host.scrollIntoView({ block: "start" }), wait));
  const stop = () => timers.forEach(clearTimeout);
  for (const hand of HANDS) window.addEventListener(hand, stop, { once: true, passive: true, capture: true });
  return () => { stop(); for (const hand of HANDS) window.removeEventListener(hand, stop, true); };
}
