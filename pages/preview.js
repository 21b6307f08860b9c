"use strict";
// Consequences before the click: what is pointed at, focused or pressed for long says what would be; what cannot be
// clicked says why. It is asked for after a moment of rest, one question at a time, and kept until something may change.
// The rules at hand stand below: they are in the page already, also where nothing is asked.

// `context` has: word, make, send, titleOf, helpOf, `mark`, which shows the places of what is pointed at, and `asks`,
// whether there is somebody to ask; `find` gives for an element {option}, {place} that has no option,
// {place, title, choices} that has several, {place, help} that has a help alone, or null.
function makePreview(context, find) {
  const { word, make, send, titleOf, helpOf, mark, asks } = context, REST = 150, PRESS = 450, CHOICES = 6, GAP = 14;
  const LINES = innerHeight > innerWidth ? 8 : 14, FEW = 2;
  const box = make("div", "", "preview");
  box.setAttribute("role", "status");
  box.hidden = true;
  document.body.append(box);
  const kept = new Map();
  let timer = 0, pressed = 0, shown = null, under = null, next = null, swallow = false, serial = 0;

  const keyOf = ({ option, place, help, choices }) => (option ? `option ${option.text}` : `${help ? "help" : choices ? "choices" : "place"} ${place}`);
  function hide() {
    clearTimeout(timer);
    if (shown) mark(null);
    shown = null;
    box.hidden = true;
  }
  // Below what is pointed at, or above it; above a finger. Beside a button, where there is room: it covers no other one.
  // The panel of the turn, with what has just happened, stays in sight; returns whether there was room for all this.
  function put({ x, y, finger, button }) {
    Object.assign(box.style, { left: "0", top: "0" });  // as wide as its texts, wherever it was
    const { innerWidth: width, innerHeight: height } = window, { offsetWidth: w, offsetHeight: h } = box;
    const turn = document.getElementById("turn")?.getBoundingClientRect(), last = height - h - 8;
    const room = finger ? 3 * GAP : GAP, above = y - room - h, below = y + room;
    let left = x + GAP, tops = finger ? [above, below] : [below, above];
    if (finger && button?.list) tops = [button.list.top - GAP - h, button.list.bottom + GAP, ...tops];
    if (button && button.left >= w + GAP) [left, tops] = [button.left - w - 8, [Math.min(button.top, last)]];
    else if (button && button.right + w + GAP <= width) [left, tops] = [button.right + 8, [Math.min(button.top, last)]];
    left = Math.max(8, Math.min(left, width - w - 8));
    let first = 8;
    const fit = () => {
      const isBeside = !turn || left >= turn.right || left + w <= turn.left;
      first = isBeside ? 8 : Math.max(8, turn.bottom + 4);
      return tops.find((each) => each >= first && each <= last);
    };
    let top = fit();
    if (top === undefined && turn && turn.left >= w + 16) {
      left = Math.min(left, turn.left - w - 8);
      top = fit();
    }
    box.style.left = `${left}px`;
    box.style.top = `${top ?? Math.max(8, Math.min(Math.max(below, first), last))}px`;
    return top !== undefined;
  }
  // The point of an event at an element; of a button its top, and the sides of its list; so of a row beside the board.
  function pointOf(event, element) {
    const list = element?.closest("#bubble, #options, #side #holdings"), at = { x: event.clientX, y: event.clientY };
    const { left, right, top, bottom } = list?.getBoundingClientRect() ?? {};
    const button = list && { left, right, top: element.getBoundingClientRect().top, list: list.id === "bubble" && { top, bottom } };
    return { ...at, finger: event.pointerType === "touch", button };
  }
  function linesOf({ option, place, title, choices }, answer, lines) {
    const help = helpOf({ option, place });
    if (choices) {
      const shown = choices.slice(0, CHOICES).map((text) => make("p", text));
      const more = choices.length > CHOICES ? [make("p", word("and_more", { number: choices.length - CHOICES }))] : [];
      return [make("b", title), ...shown, ...more, ...help.map((each) => Object.assign(each, { className: "help" }))];
    }
    if (place) {
      const all = [...(answer?.reasons ?? []).map((each) => reason(each, place)), ...help];
      return all.length ? [make("b", titleOf(place)), ...all] : [];
    }
    if (!answer) return help.length ? [make("b", option.words || option.text), ...help] : [];
    const { changes = [], until } = answer;
    const parts = [make("b", option.words || option.text), ...changes.slice(0, lines).map((text) => make("p", text))];
    if (changes.length > lines) parts.push(make("p", word("and_more", { number: changes.length - lines })));
    if (until) parts.push(make("p", word(`table_rest_${until}`), "faint"));
    else if (!changes.length) parts.push(make("p", word("table_no_change"), "faint"));
    return [...parts, ...help.map((each) => Object.assign(each, { className: "help" }))];
  }
  // A reason in words, then the values that it saw but for the place itself, and the ids of its rules.
  function reason({ text, values }, place) {
    const [, ids = "", said] = /^((?:[A-Z][A-Z\d]*(?:-[A-Z\d]+)+(?:, )?)+): (.+)$/s.exec(text) ?? [, "", text];
    const seen = Object.entries(values).filter(([, value]) => value !== place.slice(place.indexOf(".") + 1));
    const made = make("p", said + (seen.length ? ` (${seen.map(([name, value]) => `${name} = ${value}`).join(", ")})` : ""));
    if (ids) made.append(" ", make("small", ids, "faint"));
    return made;
  }
  function show(what, at) {
    const answer = kept.get(keyOf(what));
    for (let lines = Math.min(LINES, answer?.changes?.length || FEW); lines; lines--) {  // fewer where there is no room
      const parts = linesOf(what, answer, lines);
      box.hidden = !parts.length;
      box.replaceChildren(...parts);
      if (!parts.length || put(at) || lines <= FEW) break;
    }
  }
  function ask(what) {
    if (under) {
      next = what;
      return;
    }
    under = keyOf(what);
    send(what.option ? { do: "preview", serial, option: what.option.text } : { do: "why", serial, place: what.place });
  }
  function point(what, at, wait = REST) {
    clearTimeout(timer);
    if (!what) {
      hide();
      return;
    }
    if (shown && keyOf(shown.what) === keyOf(what)) return;
    box.hidden = true;
    shown = { what, at };
    mark(what.option ?? null);
    timer = setTimeout(() => (what.help || what.choices || !asks || kept.has(keyOf(what)) ? show(what, at) : ask(what)), wait);
  }
  const middle = (element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return { x: left + width / 2, y: top + height };
  };

  // The option or the place of an event; on a board also the place below a name or a piece.
  function of(event) {
    const own = event.target.closest?.("[data-option], [data-group], [data-place]");
    if (own || !event.target.closest?.("svg") || event.clientX === undefined) return own;
    const below = document.elementsFromPoint(event.clientX, event.clientY);
    return below.map((each) => each.closest("[data-place]")).find(Boolean);
  }
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") point(of(event) && find(of(event)), pointOf(event, of(event)));
  });
  document.addEventListener("focusin", (event) => {
    if (of(event)?.matches(":focus-visible")) point(find(of(event)), middle(of(event)));
  });
  document.addEventListener("focusout", hide);
  document.addEventListener("pointerdown", (event) => {
    clearTimeout(pressed);
    swallow = false;
    if (event.pointerType !== "touch") return;
    hide();
    const element = of(event), at = pointOf(event, element);
    if (element && find(element)) pressed = setTimeout(() => { swallow = true; point(find(element), at, 0); }, PRESS);
  });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => clearTimeout(pressed));
  document.addEventListener("contextmenu", (event) => { if (swallow) event.preventDefault(); });
  document.addEventListener("click", (event) => {  // a long press has shown what would be, and is no click
    if (swallow) event.stopImmediatePropagation();
    else hide();
    swallow = false;
  }, true);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });

  return {
    // What is kept holds as long as nothing has changed that the seat may do.
    begin(turn, now) {
      serial = now;
      if (kept.turn === turn) return;
      kept.clear();
      kept.turn = turn;
      hide();
    },
    answer(answer) {
      if (!under) return;
      const key = answer.option ? `option ${answer.option}` : `place ${answer.place}`;
      kept.set(key, answer);
      under = null;
      if (shown && keyOf(shown.what) === key) show(shown.what, shown.at);
      const waits = next;
      next = null;
      if (waits) ask(waits);
    },
    // Whether something is known against a place.
    speaks: (place) => Boolean(kept.get(keyOf({ place }))?.reasons?.length),
    lost() {
      under = next = null;
      hide();
    },
  };
}
