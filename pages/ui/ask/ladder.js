// A slope chart of the chunks' ranks from stage to stage. Only numbers and labels, set through textContent.
const SVG = "http://www.w3.org/2000/svg";
function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".ladder");
  if (!data) return;
  const columns = data.stages.length, deepest = data.depth;
  const left = 44, right = 330, top = 34, gap = 21;
  const width = Math.max(900, left + right + 92 * (columns - 1));
  const height = top + gap * (deepest + 1) + 12;
  const x = (column) => left + (column * (width - left - right)) / Math.max(1, columns - 1);
  const y = (rank) => top + gap * (Math.min(rank, deepest + 1) - 0.5);
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", style: `min-width: ${Math.round(0.88 * width)}px`, "aria-label": "Ranks of the candidates at each stage" });
  data.stages.forEach((stage, column) => {
    svg.append(shape("text", { x: x(column), y: 16, class: "stage", "text-anchor": "middle" }, stage));
    svg.append(shape("line", { x1: x(column), x2: x(column), y1: top - 8, y2: height - 8, class: "rail" }));
  });
  for (let rank = 1; rank <= deepest; rank += 1) svg.append(shape("text", { x: 20, y: y(rank) + 4, class: "rank-label", "text-anchor": "end" }, String(rank)));
  svg.append(shape("text", { x: 24, y: y(deepest + 1) + 4, class: "rank-label", "text-anchor": "end" }, "later"));
  const groups = data.rows.map((row) => {
    const group = shape("g", { class: row.read ? "way read" : "way" });
    const points = row.ranks.map((rank, column) => (rank ? [x(column), y(rank)] : null));
    const path = points.map((point, index) => (point ? `${index && points[index - 1] ? "L" : "M"}${point[0]},${point[1]}` : "")).join("");
    group.append(shape("path", { d: path, class: "line" }), shape("path", { d: path, class: "hit-area" }));
    points.forEach((point, index) => {
      if (!point) return;
      const dot = shape("circle", { cx: point[0], cy: point[1], r: row.read ? 4.5 : 3.5 });
      dot.append(shape("title", {}, `${row.label} · ${data.stages[index]}: rank ${row.ranks[index]}${row.scores[index] ? `, score ${row.scores[index]}` : ""}`));
      group.append(dot);
    });
    const final = row.ranks[columns - 1];
    if (final && final <= deepest) {
      const short = row.label.length > 52 ? `${row.label.slice(0, 51)}…` : row.label;
      const label = shape("text", { x: x(columns - 1) + 14, y: y(final) + 4, class: "label" }, `${row.read ? "● " : "○ "}${short}`);
      label.append(shape("title", {}, `${row.label} · ${row.fate}`));
      group.append(label);
    }
    group.addEventListener("mouseenter", () => { svg.classList.add("some"); group.classList.add("on"); svg.append(group); });
    group.addEventListener("mouseleave", () => { svg.classList.remove("some"); group.classList.remove("on"); });
    return group;
  });
  svg.append(...groups.reverse());
  host.replaceChildren(svg);
}
