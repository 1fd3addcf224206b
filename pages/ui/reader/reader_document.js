// The panel below the selected chunk, about the whole document. All text is set through textContent.
const SHOWN_ROWS = 40;

function drawDocument(model, host, actions) {
  const sections = [coverage(model, actions)];
  if (model.words) sections.push(secondReading(model.words, actions));
  if (model.notes.length) sections.push(folded("Notes of the reader", model.notes.map((note) => make("p", "note", note)), true, "notes"));
  if (model.metadata.length) sections.push(folded("Metadata", [metadataTable(model.metadata)], false, "metadata"));
  if (model.links.length) sections.push(linkList(model, actions));
  host.replaceChildren(...sections);
}

function folded(title, parts, open, name) {
  const box = make("details", `fold ${name}`), head = make("summary", "");
  head.append(icon("chevron_right"), make("span", "", title));
  box.open = open;
  box.append(head, ...parts);
  return box;
}

function more(count) {
  return count > SHOWN_ROWS ? [make("p", "hint", `and ${grouped(count - SHOWN_ROWS)} more`)] : [];
}

function coverage(model, actions) {
  const share = model.characters ? (100 * model.covered) / model.characters : 100;
  const shown = share === 100 ? "100" : Math.min(99.99, share).toFixed(2);
  const lost = model.gaps.filter((gap) => gap.lost).length;
  const line = make("p", "");
  line.append(make("b", "", `${shown} %`), ` of ${grouped(model.characters)} characters are in a chunk, blanks not counted`);
  const parts = [line];
  if (lost) parts.push(warning(`${grouped(lost)} ${lost === 1 ? "place is" : "places are"} lost`, "verdict lost"));
  else if (model.gaps.length) parts.push(make("p", "verdict", "Nothing is lost; set aside:"));
  for (const gap of model.gaps.slice(0, SHOWN_ROWS)) {
    const row = make("button", gap.lost ? "gap-row lost" : "gap-row");
    const where = gap.page ? `${model.pageWord} ${gap.page} · ` : "";
    row.append(make("span", "", where + gap.reason), make("i", "", `${grouped(gap.points[1] - gap.points[0])} chars`));
    row.onclick = () => actions.jump(gap.start, gap.page);
    parts.push(row);
  }
  return folded("Loss audit", [...parts, ...more(model.gaps.length)], true, "audit");
}

function warning(words, className) {
  const line = make("p", className);
  line.append(icon("warning"), ` ${words}`);
  return line;
}

function secondReading(words, actions) {
  const went = [`${grouped(words.inText)} in the text`];
  if (words.inMetadata) went.push(`${grouped(words.inMetadata)} in metadata`);
  for (const [reason, count] of words.dropped) went.push(`${grouped(count)} left out (${reason})`);
  if (words.missing) went.push(`${grouped(words.missing)} missing`);
  const parts = [make("p", "", `A second reading by ${words.reader} found ${grouped(words.words)} words: ${went.join(", ")}.`)];
  if (!words.missing) parts.push(make("p", "verdict", "No word is missing."));
  else {
    parts.push(warning(`${grouped(words.missing)} ${words.missing === 1 ? "word is" : "words are"} missing`, "verdict lost"));
    const list = make("div", "missing");
    for (const example of words.examples) {
      const word = make("button", "missing-word", example);
      word.title = "Find what there is of it in the text";
      word.onclick = () => actions.find(example);
      list.append(word);
    }
    parts.push(list);
  }
  return folded("Reading", parts, true, "reading");
}

function metadataTable(rows) {
  const list = make("dl", "pairs");
  for (const [name, value] of rows) list.append(make("dt", "", name), make("dd", "", value));
  return list;
}

function linkList(model, actions) {
  const rows = model.links.slice(0, SHOWN_ROWS).map((link) => {
    const row = make("button", "link-row");
    row.append(make("span", "", model.text.slice(link.start, link.end).replace(/\s+/g, " ").trim() || "(no words)"), make("i", "", link.target));
    row.title = `Show in the text · leads to ${link.target}`;
    row.onclick = () => actions.jump(link.start);
    return row;
  });
  return folded(`Links · ${grouped(model.links.length)}`, [...rows, ...more(model.links.length)], false, "links");
}
