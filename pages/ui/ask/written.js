// A text with citations, and after every sentence a mark for whether the library supports it. All text of models and
// documents is set through textContent, so that nothing in it becomes a link.
const SIGNS = { supported: ["✓", "supported"], partly: ["◐", "partly"], not_found: ["✕", "not found"] };

function opening(place, component) {
  return () => component.setTriggerValue("open", { document: place.version, span: `${place.start}-${place.end}` });
}

function drawPart(part, component) {
  if (part.cite === undefined) return make("span", "said", part.text);
  if (part.lost) {
    const lost = make("s", "lost", `[${part.cite}]`);
    lost.title = `There is no passage ${part.cite}`;
    return lost;
  }
  const cite = make("button", "cite", String(part.cite));
  cite.title = `Open in Chunks · ${[part.document, part.page].filter(Boolean).join(", ")}`;
  cite.setAttribute("aria-label", `Passage ${part.cite}: ${part.document}`);
  cite.onclick = opening(part, component);
  return cite;
}

// Why a sentence has its mark, and the passages it was compared with.
function drawWhy(sentence, component) {
  const why = make("div", "why");
  why.append(make("p", "", sentence.reason));
  for (const place of sentence.spans) {
    const go = make("button", "go", `${[place.document, place.page].filter(Boolean).join(", ")} ↗`);
    go.title = "Open in Chunks";
    go.onclick = opening(place, component);
    why.append(make("p", "held", place.text), go);
  }
  return why;
}

function drawSentence(sentence, paragraph, component) {
  const drawn = make("span", sentence.verdict || "");
  drawn.append(...sentence.parts.map((part) => drawPart(part, component)));
  paragraph.append(drawn);
  if (!sentence.verdict) return;
  const [sign, word] = SIGNS[sentence.verdict], mark = make("button", `mark ${sentence.verdict}`, sentence.verdict === "supported" ? sign : `${sign} ${word}`);
  mark.title = [`${word[0].toUpperCase()}${word.slice(1)}. ${sentence.reason}`, ...sentence.spans.slice(0, 1).map((place) => `“${place.text}” (${place.document})`)].join("\n");
  mark.setAttribute("aria-label", `${word}: ${sentence.reason}`);
  mark.setAttribute("aria-expanded", "false");
  let why = null;
  mark.onclick = () => {
    if (why) why.remove();
    else paragraph.after((why = drawWhy(sentence, component)));
    why = why.isConnected ? why : null;
    mark.setAttribute("aria-expanded", String(Boolean(why)));
  };
  paragraph.append(mark);
}

function drawFoot(data, text) {
  const foot = make("div", "foot"), copy = make("button", "copy", "Copy");
  const told = Object.entries(data.counts).filter(([, count]) => count).map(([name, count]) => `${SIGNS[name][0]} ${count} ${SIGNS[name][1]}`);
  foot.append(make("span", "", [...told, data.by && `written by ${data.by} from the passages below`].filter(Boolean).join(" · ")), copy);
  copy.onclick = () => copyText(text, copy);
  return foot;
}

export default function (component) {
  const { data, parentElement } = component;
  const host = parentElement.querySelector(".written");
  if (!data) return;
  const drawn = JSON.stringify(data);
  if (host.dataset.drawn === drawn) return; // keeps opened folds open
  host.dataset.drawn = drawn;
  const paragraph = make("p", "text");
  for (const sentence of data.sentences) drawSentence(sentence, paragraph, component);
  if (data.busy) paragraph.append(make("span", "caret"));
  const foot = data.busy ? [] : [drawFoot(data, data.sentences.flatMap((each) => each.parts).map((part) => part.text ?? `[${part.cite}]`).join(""))];
  host.replaceChildren(paragraph, ...foot);
}
