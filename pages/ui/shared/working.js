// What was asked of the server and not answered is said at the upper edge and by the button that asked, also while the
// server is too busy to say so.
if (!window.lecternAsking) {
  window.lecternAsking = true;
  const send = WebSocket.prototype.send, heard = new WeakSet(), JUST = 400; // milliseconds between a click and what it asks; so long at least it is said
  let pressed = null, at = 0;
  const released = () => { if (pressed) delete pressed.dataset.asked; };
  const answered = () => { // by what a page is told of every second, too
    delete document.body.dataset.asked;
    setTimeout(released, Math.max(0, at + JUST - performance.now()));
  };
  window.addEventListener("click", (event) => {
    released();
    pressed = event.composedPath().find((each) => each.tagName === "BUTTON") || null;
    at = performance.now();
  }, true);
  WebSocket.prototype.send = function (message) {
    if (!heard.has(this)) ["message", "close"].forEach((what) => this.addEventListener(what, answered));
    heard.add(this);
    document.body.dataset.asked = "";
    if (pressed && performance.now() - at < JUST) pressed.dataset.asked = "";
    return send.call(this, message);
  };
}
