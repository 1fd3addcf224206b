// Judging on the Ask page: the question is known, so one click makes marked words gold.
// data: { off, asked, question, hits, passages, notice }; hits, passages: for each the gold inside it, [start, end, questions].
// redraw(data): draw the gold. chosen(): the row of the highlighted hit while the list has the focus, or null.
function createEvidenceJudge(root, { stage, hosts, redraw, tell, chosen }) {
  let data = { off: "", question: "" }, heard = "";
  const send = createTeller(tell);
  const panel = createPanel(stage, () => hosts[0].focus({ preventScroll: true }));
  const notice = createNotice(stage, send);
  const bar = createJudgeBar(root, {
    stage, frame: stage, hosts, selector: ".words", words: "Mark as the answer to this question",
    act: (mark) => { send({ do: "judge", ...spanOf(mark), question: data.question }); notice.wait("Marking it as an answer …"); bar.clear(); },
    why: (mark) => send({ do: "why", ...spanOf(mark) }),
    whole: () => { const row = chosen(); return row ? { source: row.source, start: 0, end: row.source.text.length, range: null } : null; },
  });

  for (const host of hosts) {
    host.addEventListener("click", (event) => {
      const { questions } = event.target.closest(".gold-tag") || {};
      if (!questions) return;
      event.stopPropagation();
      openGold(panel, questions, event.target.getBoundingClientRect(), data.off, (id) => send({ do: "remove", ids: [id] }));
    }, true);
  }

  return {
    marked: bar.marked,
    // fresh: there are other hits and passages, which are not drawn yet.
    update(next, fresh) {
      data = next;
      bar.update(data);
      notice.update(data.notice);
      const now = JSON.stringify([data.hits, data.passages]);
      if (!fresh && now === heard) return;
      heard = now;
      panel.shut();
      const stood = hosts.map((host) => host.scrollTop);
      redraw(data);
      if (!fresh) hosts.forEach((host, index) => { host.scrollTop = stood[index]; });
    },
    close: bar.close,
  };
}
