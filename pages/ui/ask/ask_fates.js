// The chunks of a place, and how far each came through the stages. All text is set through textContent.
function drawFate(row) {
  const item = make("li", "fate"), steps = make("ol", "steps");
  item.append(make("p", "words", row.text));
  for (const step of row.steps) {
    const place = make("li", step.rank ? "step" : "step none");
    place.append(make("small", "", step.word), make("b", "", step.rank ? `#${grouped(step.rank)}` : "–"), make("small", "", step.score));
    place.title = step.rank ? `${step.word}: rank ${grouped(step.rank)}, score ${step.score} · ${step.scale}` : `${step.word}: not ranked`;
    steps.append(place);
  }
  const end = make("li", "end");
  end.append(make("span", "", row.said));
  steps.append(end);
  item.append(steps);
  return item;
}

export default function ({ data, parentElement }) {
  const host = parentElement.querySelector(".fates");
  if (data) host.replaceChildren(...data.rows.map(drawFate));
}
