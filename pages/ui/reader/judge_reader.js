// Judging on the Chunks page: gold spans drawn on the text, their list beside it, and new judgments of marked words.
// data: { off, asked, question, gold: [start, end, questions], lost, boxes, notice }, offsets in code points; boxes: of the gold on
// the page that is shown, [index in gold, left, top, right, bottom] in percent of the page.
function readGold(rows, at) {
  return rows.map(([start, end, questions]) => ({ start: at(start), end: at(end), questions, key: `${start}-${end}` }))
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

const without = (golds, others) => golds.filter((one) => !others.some((other) => one.key === other.key && one.questions.length === other.questions.length));

// redraw(changed): draw the slabs of changed spans again. tell(request): send to Python. chosen(): the selected leaf.
function createReaderJudge(root, self, { stage, frame, textHost, facts, look, redraw, jump, tell, chosen }) {
  let data = { off: "", question: "", gold: [], lost: [], boxes: [], notice: null }, heard = "";
  const send = createTeller(tell);
  const panel = createPanel(stage, () => { lightPending(null); (textHost.hidden ? frame : textHost).focus({ preventScroll: true }); });
  const notice = createNotice(stage, send);
  const bar = createJudgeBar(root, {
    stage, frame, hosts: [textHost], selector: ".segment", words: "Mark as an answer", act: ask,
    why: (mark) => send({ do: "why", ...spanOf(mark) }),
    whole: () => { const leaf = self.model && chosen(); return leaf && { source: self.model.source, start: leaf.first, end: leaf.end, range: null }; },
  });

  function ask(mark, beside) {
    const { parts, first } = questionForm(mark, data.question, ({ question, answer }) => {
      send({ do: "judge", ...spanOf(mark), question, answer });
      bar.clear();
      panel.shut();
    });
    lightPending(mark.range);
    panel.open("Mark as an answer", parts, beside || chosenBox(), first);
  }

  // The box around the visible part of the selected chunk.
  function chosenBox() {
    const boxes = [...stage.querySelectorAll(".block.on, .run.on, .box.on")].map((piece) => piece.getBoundingClientRect());
    const inside = stage.getBoundingClientRect(), seen = boxes.filter((box) => box.bottom > inside.top && box.top < inside.bottom);
    if (!seen.length) return null;
    return { left: seen[0].left, top: Math.max(inside.top, seen[0].top), bottom: Math.min(inside.bottom, seen[seen.length - 1].bottom) };
  }

  const show = (questions, beside) => openGold(panel, questions, beside, data.off, (id) => send({ do: "remove", ids: [id] }));
  textHost.addEventListener("click", (event) => {
    const place = event.target.closest(".gold-tag, [data-gold]"), gold = place && look.gold.find((each) => each.key === place.dataset.gold);
    const questions = place && (place.questions || (gold && gold.questions));
    if (questions && !bar.marked()) show(questions, event.target.getBoundingClientRect());
  });

  function drawFacts() {
    const parts = look.gold.map(({ start, questions }) => {
      const row = make("button", "gold-row");
      row.append(make("b", "gold-sign", "◆"), make("span", "", questions.map((each) => each.question).join(" · ")));
      row.title = questions.map((each) => each.question).join("\n");
      row.onclick = () => jump(start);
      return row;
    });
    for (const { question, quote, why } of data.lost) {
      const line = make("p", "verdict lost");
      line.append(icon("warning"), ` ${question}: ${why}`);
      line.title = quote;
      parts.push(line);
    }
    if (!parts.length) {
      const hint = make("p", "hint", data.off || "None yet. Mark the words that answer a question, then press ");
      if (!data.off) hint.append(make("kbd", "", "g"), ".");
      parts.push(hint);
    }
    const count = look.gold.length + data.lost.length;
    const shut = facts.querySelector("details:not([open])");
    facts.replaceChildren(folded(count ? `Marked answers · ${grouped(count)}` : "Marked answers", parts.slice(0, SHOWN_ROWS), !shut, "golds"), ...more(parts.length));
  }

  return {
    bar,
    // fresh: another text was drawn, its gold included.
    update(next, fresh) {
      data = next;
      bar.update(data);
      notice.update(data.notice);
      const now = `${self.model.key}|${JSON.stringify([data.gold, data.lost, data.off])}`;
      if (now === heard) return;
      heard = now;
      const before = look.gold, after = readGold(data.gold, self.model.at);
      look.gold = after;
      if (fresh) panel.shut(); else redraw([...without(before, after), ...without(after, before)]);
      drawFacts();
    },
    // Draw gold on the picture of a page, over the boxes of the chunks.
    overlay(sheet) {
      for (const old of sheet.querySelectorAll(".gold-box")) old.remove();
      const paper = sheet.querySelector(".frame"), seen = new Set();
      for (const [index, x0, y0, x1, y1] of paper ? data.boxes : []) {
        const { questions } = look.gold[index], box = make(seen.has(index) ? "i" : "button", "gold-box");
        seen.add(index);
        box.title = questions.map((each) => each.question).join("\n");
        if (box.tagName === "BUTTON") box.setAttribute("aria-label", `Marked answer: ${box.title}`);
        Object.assign(box.style, { left: `${x0}%`, top: `${y0}%`, width: `${x1 - x0}%`, height: `${y1 - y0}%` });
        box.onclick = () => show(questions, box.getBoundingClientRect());
        paper.append(box);
      }
    },
    close: bar.close,
  };
}
