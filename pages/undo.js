"use strict";
// Taking back: the buttons, the request, and the notes in the list of moves. It knows no game.

// `context` has: word, nameOf, send, make, button; `state` is the table's, `me` gives the seat of the page or null.
function makeUndo(context, state, me) {
  const { word, nameOf, send, make, button } = context, element = (id) => document.getElementById(id);
  const ask = (to) => send({ do: "undo", serial: state.serial, ...(to === undefined ? {} : { to }) });
  let rung = "";
  element("back").addEventListener("click", () => ask());
  element("redo").addEventListener("click", () => send({ do: "redo", serial: state.serial }));

  const isPerson = (seat) => state.seats.some((each) => each.id === seat && each.kind === "person");
  const others = () => state.seats.filter((each) => each.kind === "person" && each.id !== me());
  const mayAsk = () => isPerson(me()) && !state.undo && !(state.reveals && state.result);
  const isFree = (number) => context.alone || number >= state.count - (state.free ?? 0) || !others().length;

  function what({ own, more, beside }) {
    const named = own.join("; ") + (more ? ` ${word("and_more", { number: more })}` : "");
    const theirs = Object.entries(beside).map(([seat, number]) => `${seat ? nameOf(seat) : word("chance")} ${number}`);
    return [named, ...(theirs.length ? [word("table_asks_beside", { what: theirs.join(", ") })] : [])].filter(Boolean).join(" — ");
  }

  return {
    // Whether the person at the page has to answer a request.
    get asked() {
      return Boolean(state.undo) && isPerson(me()) && !state.undo.agreed.includes(me());
    },
    show(ring) {
      element("back").hidden = !mayAsk() || !state.count;
      element("back").textContent = word(isFree(state.count - 1) && (state.free || context.alone || !others().length) ? "table_free_undo" : "table_undo");
      element("redo").hidden = !mayAsk() || !state.redo;
      const { undo } = state, box = element("undo");
      box.hidden = !undo;
      if (!undo) {
        rung = "";
        return;
      }
      const left = others().concat(state.seats.filter((each) => each.id === me())).filter((each) => each.kind === "person" && !undo.agreed.includes(each.id));
      const names = left.map(({ id }) => (state.here.includes(id) ? nameOf(id) : `${nameOf(id)} (${word("table_away")})`));
      const parts = [make("p", word("table_asks", { seat: nameOf(undo.by), what: what(undo) }))];
      if (undo.learned.length) parts.push(make("p", word("table_learned", { what: undo.learned.join("; ") })));
      if (undo.others.length) parts.push(make("p", word("table_others", { what: undo.others.join("; ") })));
      if (names.length) parts.push(make("p", word("table_asked_of", { seats: names.join(", ") }), "faint"));
      const buttons = make("div", "");
      if (this.asked) buttons.append(button(word("table_agree"), () => send({ do: "agree", serial: state.serial })));
      if (me()) buttons.append(button(word(undo.by === me() ? "table_unask" : "table_refuse"), () => send({ do: "refuse", serial: state.serial })));
      box.replaceChildren(...parts, buttons);
      const request = `${undo.by} ${undo.decisions} ${state.count}`;
      if (this.asked && rung !== request) ring();
      rung = request;
    },
    // A button in the list of moves: back to before a person's decision; null where there is none.
    rowButton(number, by) {
      if (!mayAsk() || !(isPerson(by) || (context.alone && by))) return null;
      const made = button("↶", () => ask(number), "to_here"), title = word(isFree(number) ? "table_back_free" : "table_back_to");
      made.title = title;
      made.setAttribute("aria-label", `${title}: ${number + 1}`);
      return made;
    },
    // The notes that stand before a move: what was taken back there.
    notes(number) {
      return (state.backs ?? []).filter(({ at }) => (at ?? 0) === number).map(({ by, decisions, unasked }) => {
        const texts = [word("table_took_back", { seat: nameOf(by), number: decisions })];
        if (unasked) texts.push(word("table_unasked", { seats: unasked.map(nameOf).join(", ") }));
        return make("li", texts.join(" · "), "taken_back");
      });
    },
  };
}

// Two clicks of a pointer at one spot within half a second are one: the second would hit what has come there meanwhile.
function ignoreDoubleClicks(root, inside) {
  let last = { at: -Infinity, x: 0, y: 0 };
  root.addEventListener("click", (event) => {
    if (!event.detail || !event.target.closest?.(inside)) return;
    const twice = event.timeStamp - last.at < 500 && Math.hypot(event.clientX - last.x, event.clientY - last.y) < 12;
    if (twice) {
      event.stopPropagation();
      event.preventDefault();
    } else last = { at: event.timeStamp, x: event.clientX, y: event.clientY };
  }, true);
}
