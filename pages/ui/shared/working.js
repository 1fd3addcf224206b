// What was asked of the server and not answered is said at the upper edge, also while the server is too busy to say so.
if (!window.lecternAsking) {
  window.lecternAsking = true;
  const send = WebSocket.prototype.send, heard = new WeakSet(), answered = () => delete document.body.dataset.asked;
  WebSocket.prototype.send = function (message) {
    if (!heard.has(this)) ["message", "close"].forEach((what) => this.addEventListener(what, answered));
    heard.add(this);
    document.body.dataset.asked = "";
    return send.call(this, message);
  };
}
