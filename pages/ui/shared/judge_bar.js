// Controls over a text that is judged: the bar beside marked words, a panel, and the notice of what was done. All text
// is set through textContent.

// Put an element below a box of the window, or above it without room there, always inside the visible part of the stage.
function putBeside(element, stage, box) {
  const whole = stage.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = element;
  const frame = { left: whole.left, top: whole.top, width: whole.width, height: Math.min(whole.bottom, window.innerHeight) - whole.top };
  const within = (value, most) => Math.max(8, Math.min(value, most - 8));
  const below = box.bottom - frame.top + 7, above = box.top - frame.top - high - 7;
  element.style.left = `${within(box.left - frame.left, frame.width - wide)}px`;
  element.style.top = `${within(below + high > frame.height - 8 && above > 8 ? above : below, frame.height - high)}px`;
}

// hosts: elements in which words can be marked. act(mark, box): judge the marked words. why(mark): explain why the last
// question did not find them. whole(): the mark that a key refers to while no words are marked, or null. frame: the
// element in which the keys work.
function createJudgeBar(root, { stage, frame, hosts, selector, words, act, why, whole }) {
  const bar = make("div", "judge-bar"), go = make("button", "judge-go"), ask = make("button", "judge-go judge-why");
  const count = make("span", "judge-count"), said = make("span", "said-aloud");
  const self = { mark: null, off: "", asked: "" };
  let pressed = false, waiting = 0;
  said.setAttribute("aria-live", "polite");
  go.append(make("b", "gold-sign", "◆"), make("span", "", words), make("kbd", "", "g"));
  ask.append(make("span", "", "Why is it not read?"), make("kbd", "", "w"));
  bar.append(go, ask, count);
  bar.hidden = true;
  stage.append(bar, said);

  const boxOf = ({ range }) => { // the bar stands below the last line or above the first
    const whole = range.getBoundingClientRect(), lines = range.getClientRects(), last = lines[lines.length - 1] || whole;
    return { left: last.left, top: whole.top, bottom: last.bottom };
  };
  const place = () => { if (!bar.hidden) putBeside(bar, stage, boxOf(self.mark)); };

  function look() {
    waiting = 0;
    self.mark = null;
    for (const host of hosts) self.mark ||= host.hidden ? null : markedIn(root, host, selector);
    bar.hidden = !self.mark || pressed;
    if (bar.hidden) { if (!self.mark) said.textContent = ""; return; }
    const { start, end } = spanOf(self.mark), many = `${grouped(end - start)} ${end - start === 1 ? "character" : "characters"}`;
    go.hidden = Boolean(self.off);
    ask.hidden = !self.asked;
    count.textContent = self.off ? `${many} · ${self.off}` : many;
    const keys = [self.off ? "" : `Key g: ${words}`, self.asked ? "Key w: why is it not read" : ""].filter(Boolean);
    said.textContent = self.off && !keys.length ? count.textContent : `${many} marked. ${keys.join(". ")}`;
    place();
  }
  const soon = () => { waiting ||= requestAnimationFrame(look); };
  const judge = (mark) => { if (mark && !self.off) act(mark, mark.range ? boxOf(mark) : null); };
  const explain = (mark) => { if (mark && self.asked) { why(mark); self.clear(); } };
  for (const button of [go, ask]) button.addEventListener("pointerdown", (event) => event.preventDefault()); // keeps the words marked
  go.onclick = () => judge(self.mark);
  ask.onclick = () => explain(self.mark);

  const onDown = (event) => { pressed = hosts.some((host) => event.composedPath().includes(host)); };
  const onUp = () => { if (pressed) { pressed = false; soon(); } };
  const onKey = (event) => {
    const path = event.composedPath();
    const does = { g: judge, w: self.asked && explain }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (path[0].matches?.("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true]")) return;
    if (!(path.includes(frame) || (path[0] === document.body && self.mark)) || document.querySelector("[role=dialog]")) return;
    const mark = self.marked() || whole();
    if (!mark) return;
    event.preventDefault();
    does(mark);
  };
  const listening = [[document, "selectionchange", soon], [window, "pointerdown", onDown, true], [window, "pointerup", onUp, true], [window, "pointercancel", onUp, true], [window, "keydown", onKey]];
  for (const [target, ...how] of listening) target.addEventListener(...how);
  for (const host of hosts) host.addEventListener("scroll", () => requestAnimationFrame(place), { passive: true });

  // The present mark; the one stored may be a frame old.
  self.marked = () => { look(); return self.mark; };
  // off: why judging is off, "" if it is on. asked: the last question on Ask, "" without one.
  self.update = ({ off, asked }) => { self.off = off; self.asked = asked; ask.title = asked; };
  self.clear = () => { document.getSelection().removeAllRanges(); self.mark = null; bar.hidden = true; };
  self.close = () => {
    for (const [target, ...how] of listening) target.removeEventListener(...how);
    cancelAnimationFrame(waiting);
    lightPending(null);
  };
  return self;
}

// Send a request to Python together with the last few: one sent while the page still runs would otherwise replace the
// one before. `at` identifies a request, so that none is carried out twice.
function createTeller(tell) {
  const sent = [];
  return (request) => {
    sent.push({ ...request, at: `${Date.now()}.${sent.length}` });
    tell(sent.slice(-8));
  };
}

// The notice of what was done. send(request): called to undo it or to close the notice. name: its class.
function createNotice(stage, send, name = "judge-notice") {
  const line = make("div", name);
  line.setAttribute("role", "status");
  stage.append(line);
  let drawn = 0;
  return {
    // Shown until Python's notice arrives, since the page may search again first.
    wait(text) { drawn = -1; line.classList.remove("wrong"); line.replaceChildren(icon("hourglass_empty"), make("span", "", text)); },
    update(notice) {
      const serial = notice ? notice.serial : 0;
      if (serial === drawn) return;
      drawn = serial;
      line.replaceChildren();
      if (!notice) return;
      const close = make("button", "bare");
      close.append(icon("close"));
      close.setAttribute("aria-label", "Close this line");
      close.onclick = () => { line.replaceChildren(); send({ do: "close" }); };
      line.classList.toggle("wrong", notice.wrong);
      line.append(icon(notice.wrong ? "error" : "check"), make("span", "", notice.text));
      if (notice.undo) { const back = make("button", "", "Undo"); back.onclick = () => send({ do: "undo" }); line.append(back); }
      line.append(close);
    },
  };
}
