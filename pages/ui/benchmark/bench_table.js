// The presets and their figures as an HTML table: a click on a head sorts, a click on a row or its radio button selects
// it, and every figure has a description in words.
const MARK_WORDS = { "▲": "better", "▼": "worse", "=": "no difference seen" };

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".bench-table");
  if (!data) return;
  host.sorting ??= { name: "", down: true };
  // The server's data may still hold an earlier choice, so only a change of it counts.
  if (host.told !== data.selected) host.chosen = host.told = data.selected;
  draw(component, host, data);
}

function draw(component, host, data) {
  const focused = host.querySelector(":focus"); // a head, or the preset reached by the arrow keys
  const table = make("table"), head = make("tr");
  table.append(make("caption", "said-aloud", "Presets and their figures. Choose a row to see it in the views below."));
  const first = make("th", "preset", "Preset");
  first.scope = "col";
  head.append(first, ...data.columns.map((column) => heading(component, host, data, column)));
  const top = make("thead");
  top.append(head);
  const body = make("tbody");
  body.append(...sorted(host, data).map((row) => line(component, host, row)));
  table.append(top, body);
  host.replaceChildren(table);
  if (focused) host.querySelector(focused.dataset.sort ? `[data-sort="${CSS.escape(focused.dataset.sort)}"]` : "input:checked")?.focus();
}

function heading(component, host, data, column) {
  const cell = make("th", column.measured ? "measured" : ""), button = make("button", "bare sort", column.title);
  const on = host.sorting.name === column.name;
  cell.scope = "col";
  if (on) cell.setAttribute("aria-sort", host.sorting.down ? "descending" : "ascending");
  button.title = `${column.help} Click to sort.`.trim();
  button.dataset.sort = column.name;
  if (on) button.append(make("span", "arrow", host.sorting.down ? " ↓" : " ↑"));
  button.onclick = () => {
    // Clicks cycle: best first, worst first, the run's order.
    const best = !column.falls;
    if (!on) host.sorting = { name: column.name, down: best };
    else host.sorting = host.sorting.down === best ? { name: column.name, down: !best } : { name: "", down: true };
    draw(component, host, data);
  };
  cell.append(button);
  return cell;
}

function sorted(host, data) {
  const at = data.columns.findIndex((column) => column.name === host.sorting.name);
  if (at < 0) return data.rows;
  const way = host.sorting.down ? -1 : 1;
  const value = (row) => row.cells[at].value ?? -Infinity * way;
  return [...data.rows].sort((a, b) => (value(a) === value(b) ? 0 : (value(a) < value(b) ? -1 : 1) * way));
}

function line(component, host, row) {
  const element = make("tr", row.preset === host.chosen ? "on" : ""), name = make("th", "preset");
  const label = make("label"), radio = make("input");
  radio.type = "radio";
  radio.name = "preset";
  radio.checked = row.preset === host.chosen;
  radio.value = row.preset;
  label.append(radio, make("span", "name", row.preset));
  label.append(...row.notes.map((note) => make("span", "note", note)));
  name.scope = "row";
  name.append(label);
  const choose = () => {
    if (host.chosen === row.preset) return;
    host.chosen = row.preset;
    for (const other of host.querySelectorAll("tbody tr")) other.classList.toggle("on", other === element);
    radio.checked = true;
    component.setTriggerValue("picked", row.preset); // no state: it may be the row chosen last here, and another by a figure since
  };
  radio.onchange = choose;
  element.onclick = choose;
  element.append(name, ...row.cells.map(figure));
  return element;
}

function figure(cell) {
  const element = make("td");
  element.title = cell.say;
  element.append(make("span", "value", cell.text));
  if (cell.half) element.append(make("span", "half", ` ${cell.half}`));
  if (!cell.half) return element;
  const mark = make("span", `mark ${cell.verdict === "better" ? "up" : cell.verdict === "worse" ? "down" : ""}`, cell.mark);
  mark.setAttribute("aria-hidden", "true");
  element.append(mark);
  if (cell.mark) element.append(make("span", "said-aloud", MARK_WORDS[cell.mark]));
  return element;
}
