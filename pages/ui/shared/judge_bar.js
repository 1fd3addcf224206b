// What stands over a text while it is judged: the bar beside marked words, a panel for what is typed or read, and a line
// that says what was done. All of it comes from here and from data, and leaves as textContent.

// Puts an element below a box of the window, above it where there is no room, and always inside what one sees of the stage.
function putBeside(element, stage, box) {
  const whole = stage.getBoundingClientRect(), { offsetWidth: wide, offsetHeight: high } = element;
  const frame = { left: whole.left, top: whole.top, width: whole.width, height: Math.min(whole.bottom, window.innerHeight) - whole.top };
  const within = (value, most) => Math.max(8, Math.min(value, most - 8));
  const below = box.bottom - frame.top + 7, above = box.top - frame.top - high - 7;
  element.style.left = `${within(box.left - frame.left, frame.width - wide)}px`;
  element.style.top = `${within(below + high > frame.height - 8 && above > 8 ? above : below, frame.height - high)}px`;
}

// hosts: where words can be marked. act(mark, box): a person wants them judged. why(mark): they want to know why the
// question that was asked last does not bring them. whole(): the mark a key stands for while nothing is marked, or null.
// frame: where the keys belong to this component.
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

  const boxOf = ({ range }) => { // below its last line, or above its first
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
  for (const button of [go, ask]) button.addEventListener("pointerdown", (event) => event.preventDefault()); // the words stay marked
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

  // What is marked now, not what was a frame ago.
  self.marked = () => { look(); return self.mark; };
  // off: why nothing can be judged here, "" when it can. asked: the question that was asked last, "" for none.
  self.update = ({ off, asked }) => { self.off = off; self.asked = asked; ask.title = asked; };
  self.clear = () => { document.getSelection().removeAllRanges(); self.mark = null; bar.hidden = true; };
  self.close = () => {
    for (const [target, ...how] of listening) target.removeEventListener(...how);
    cancelAnimationFrame(waiting);
    lightPending(null);
  };
  return self;
}

// Tells Python what is asked for, each time the last few requests: one that comes while the page still runs would else
// take the place of the one before. `at` names a request, so that none is done twice.
function createTeller(tell) {
  const sent = [];
  return (request) => {
    sent.push({ ...request, at: `${Date.now()}.${sent.length}` });
    tell(sent.slice(-8));
  };
}

// The line that says what was done. send(request): a person wants it back, or the line gone. name: its class.
function createNotice(stage, send, name = "judge-notice") {
  const line = make("div", name);
  line.setAttribute("role", "status");
  stage.append(line);
  let drawn = 0;
  return {
    // What is being done, until the page says what was: it may search again before.
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
