// Show at the upper edge and at the pressed button that a request to the server has no answer yet, also while the server
// is too busy to show that itself.
if (!window.lecternAsking) {
  window.lecternAsking = true;
  const send = WebSocket.prototype.send, heard = new WeakSet(), JUST = 400; // milliseconds: most from a click to its request, and least that it is shown
  let pressed = null, at = 0;
  const released = () => { if (pressed) delete pressed.dataset.asked; };
  const answered = () => { // a periodic update of the page counts as an answer too
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
