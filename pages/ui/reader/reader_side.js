// The panel beside the text, with the selected chunk.
// Its near-duplicates in the document, each with a link.
function nearDuplicateList(pairs, actions) {
  if (!pairs.length) return [];
  const rows = pairs.slice(0, SHOWN_ROWS).map(([other, said]) => {
    const row = make("button", "duplicate-row");
    row.append(make("span", "", `Chunk ${other + 1}`), make("i", "", said));
    row.onclick = () => actions.go(other);
    return row;
  });
  return [make("h4", "", "Almost the same"), ...rows, ...more(pairs.length)];
}

// Draw values as links to their spans. places: [text, start, end, version]; start -1: no link; version "": this
// document.
function placesCell(places, actions) {
  const cell = make("dd", "");
  places.forEach(([words, start, end, version], at) => {
    if (at) cell.append(", ");
    if (start < 0) { cell.append(words); return; }
    const button = make("button", "leads", words);
    button.title = version ? "Open that document there" : "Show what it points to";
    button.onclick = () => version ? actions.open([version, start, end]) : actions.show(start, end);
    cell.append(button);
  });
  return cell;
}

function knownTable(rows, actions) {
  const list = make("dl", "pairs");
  for (const [name, value] of rows) {
    list.append(make("dt", "", name), typeof value === "string" ? make("dd", "", value) : placesCell(value, actions));
  }
  return list;
}

function knownOf({ features, notes }, actions) {
  return [
    ...(features.length ? [make("h4", "", "What is known of it"), knownTable(features, actions)] : []),
    ...notes.map((note) => make("p", "hint", note)),
  ];
}

function factRow(name, value, title) {
  const row = make("div", "fact");
  row.append(make("span", "", name), make("b", "", value));
  if (title) row.title = title;
  return row;
}

// card: { leaf, features: [label, text or places], near_duplicates: [leaf, similarity in words], notes }, or null; it may
// still be that of another chunk.
// said: the names of its edits.
function drawChunk(model, index, host, actions, card = null, said = []) {
  if (index < 0) {
    const hint = make("p", "hint", "Click a chunk in the text or in the tree, or step from one to the next with ");
    hint.append(make("kbd", "", "["), " and ", make("kbd", "", "]"), ".");
    host.replaceChildren(make("h3", "", "No chunk chosen"), hint);
    return;
  }
  const leaf = model.leaves[index], last = model.leaves.length - 1;
  const head = make("div", "details-head"), title = make("h3", "", `Chunk ${index + 1}`);
  title.append(make("span", "", ` of ${grouped(model.leaves.length)}`));
  const step = (by, name, key, glyph) => {
    const button = make("button", "");
    button.append(icon(glyph));
    button.setAttribute("aria-label", name);
    button.title = `${name}, key ${key}`;
    button.disabled = index + by < 0 || index + by > last;
    button.onclick = () => actions.step(by);
    return button;
  };
  head.append(title, step(-1, "Previous chunk", "[", "chevron_left"), step(1, "Next chunk", "]", "chevron_right"));

  const over = leaf.encoderTokens > model.limit;
  const gauge = make("div", "gauge"), fill = make("i", over ? "over" : "");
  gauge.title = `The encoder reads at most ${grouped(model.limit)} tokens, its special tokens included`;
  fill.style.width = `${Math.min(100, (100 * leaf.encoderTokens) / model.limit)}%`;
  gauge.append(fill);
  const parts = [
    head,
    factRow("Text", `${grouped(leaf.tokens)} tokens`),
    factRow("Encoder reads", `${grouped(leaf.encoderTokens)} of ${grouped(model.limit)} tokens`, "Prefix and special tokens included"),
    gauge,
    factRow("Truncated", over ? `${grouped(leaf.encoderTokens - model.limit)} tokens` : "0 tokens"),
    factRow("Characters", `${grouped(leaf.points[0])} – ${grouped(leaf.points[1])}`, "Half-open span of Unicode code points"),
  ];
  if (leaf.page) parts.push(factRow(model.pageWord[0].toUpperCase() + model.pageWord.slice(1), pagesInWords(leaf)));
  if (leaf.parent >= 0) parts.push(factRow("Parent", `P${leaf.parent + 1} · ${grouped(model.parents[leaf.parent].tokens)} tokens`));

  if (leaf.prefix.length) {
    parts.push(make("h4", "", "Read before it"));
    for (let at = 0; at < leaf.prefix.length; at += 2) {
      const line = make("p", "prefix-line");
      line.append(make("small", "", leaf.prefix[at].replace("_", " ")), make("em", "", leaf.prefix[at + 1]));
      parts.push(line);
    }
  }
  const { begins, ends, notes } = whyOf(leaf), why = make("dl", "pairs why-pairs");
  for (const [name, words] of [["begins", begins], ["ends", ends], ...notes.map((note) => ["note", note])]) {
    if (words) why.append(make("dt", "", name), make("dd", "", words));
  }
  if (why.children.length) parts.push(make("h4", "", "Why it is cut here"), why);
  for (const words of said) parts.push(make("p", "edited-line", words));
  if (card && card.leaf === index) parts.push(...nearDuplicateList(card.near_duplicates, actions), ...knownOf(card, actions));
  const row = make("div", "actions"), copy = make("button", "copy", "Copy text"), link = make("button", "copy", "Copy link");
  copy.onclick = () => copyText(model.text.slice(leaf.start, leaf.end), copy);
  link.onclick = () => copyText(linkTo(model.version, ...leaf.points), link);
  link.title = "A link that opens this chunk here, on this machine";
  row.append(copy, link);
  host.replaceChildren(...parts, row);
}
