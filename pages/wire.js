"use strict";
// The wire: the key goes from the fragment of the address into the socket, and nowhere else.
(() => {
  const WRONG = 4401, LEFT = 4410, TOO_MUCH = 4408;
  let socket = null, page = null, waited = 500, again = 0;

  const send = (message) => { if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };

  function heard(message) {
    waited = 500;
    if (message.hello && !page) page = makeTable(message.hello, send);
    else if (message.owner && !page) page = makeOwner(message.owner, send);
    else if (message.frame) page.frame(message.frame);
    else if (message.tables) page.tables(message.tables);
    else if (message.keys) page.keys(message.keys);
    else if (message.earlier) page.earlier(message.earlier);
    else if (message.preview || message.why) page.preview(message.preview ?? message.why);
    else if (message.reason) page.reason(message.reason);
    else if (message.refused) page.refused(message.refused);
    else if (message.log) page.log(message.log);
    else if (message.study) page.study(message.study);
    else if (message.fork) page.fork(message.fork);
    else if (message.lines || "kept" in message) page.lines(message);
    else if (message.typed) page.typed();
    else if (message.opinion) page.study(message.opinion);
    else if (message.hint) page.hint(message.hint);
    else if (message.rules) page.study(message.rules);
    else if (message.rematch) page.rematch(message.rematch);
    else if (message.offer) page.offer(message.offer);
    else if (message.done) page.done();
    if (message.hello || message.owner) page.lost(false);
  }

  function connect() {
    const [key] = location.hash.slice(1).split("&");
    if (!key) {
      notice("This page needs a link with a key. Ask the owner of the table for one.");
      return;
    }
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    socket.addEventListener("open", () => send({ key }));
    socket.addEventListener("message", (event) => heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      if (event.code === WRONG) notice("This link is not valid, or no longer valid. Ask the owner of the table for one.");
      else if (event.code === LEFT) notice(event.reason || "This table is missing.");
      else if (event.code === TOO_MUCH) notice(event.reason || "This link is open in too many pages.");
      else {
        page?.lost(true);
        again = setTimeout(connect, waited);
        waited = Math.min(8_000, waited * 2);
      }
    });
  }
  addEventListener("online", () => {
    if (!again || socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(again);
    connect();
  });
  addEventListener("hashchange", () => location.reload());
  connect();
})();
