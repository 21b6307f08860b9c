"use strict";
// The wire: the key goes from the fragment of the address into the socket and out of the address. Each message has one
// answer, in their order.
(() => {
  const WRONG = 4401, TOO_MUCH = 4408;
  let socket = null, page = null, waited = 500, asked = [];

  const notice = (text) => {
    element("notice").textContent = text;
    element("notice").hidden = !text;
  };

  function ask(message) {
    if (socket?.readyState !== WebSocket.OPEN)
      return Promise.resolve({ refused: "the server is gone: nothing was written" });
    socket.send(JSON.stringify(message));
    return new Promise((answer) => {
      asked.push(answer);
      count();
    });
  }
  const count = () => { document.body.dataset.waiting = asked.length; };

  function heard(message) {
    waited = 500;
    if (message.hello) {
      page ??= makeEditor(message.hello, ask);
      page.lost(false);
    } else if (message.programs) page.programs(message.programs);
    else if (message.state) page.state(message.state);
    else if (message.picture) page.picture(message.picture);
    else {
      asked.shift()?.(message);
      count();
    }
  }

  function connect(key) {
    socket = new WebSocket(`ws://${location.host}/socket`);
    socket.addEventListener("open", () => socket.send(JSON.stringify({ key })));
    socket.addEventListener("message", (event) => heard(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => {
      for (const answer of asked.splice(0))
        answer({ refused: "the server is gone, so it is unknown whether this was written" });
      count();
      if (event.code === WRONG)
        notice("This link is not valid: the server was restarted, and printed a new one.");
      else if (event.code === TOO_MUCH) notice("There are too many pages, or too many messages: open the link again.");
      else {
        page?.lost(true);
        setTimeout(connect, waited, key);
        waited = Math.min(8_000, waited * 2);
      }
    });
  }

  // A page that is loaded again has the key from its own tab.
  const key = location.hash.slice(1) || sessionStorage.getItem("key");
  history.replaceState(null, "", location.pathname);
  if (key) {
    sessionStorage.setItem("key", key);
    connect(key);
  } else notice("This page needs the link with the key that `rulespec edit` printed.");
  addEventListener("hashchange", () => location.reload());
})();
