"use strict";
// The page of the owner of a server: tables, new ones, links. Links are shown when they are made, and never again.
function makeOwner(hello, sent) {
  let asked = false;  // one order at a time: a second click on a button is none
  const send = (order) => {
    if (!asked) sent(order);
    asked = true;
  };
  const later = [];  // changes of fields wait instead: each is meant
  const change = (order) => (asked ? later.push(order) : send(order));
  const unfolded = new Set();  // the tables whose limits are open
  const answered = (show = () => {}) => (answer) => {
    asked = false;
    show(answer);
    if (later.length) send(later.shift());
    else if (waiting) draw(waiting);
  };
  const element = (id) => document.getElementById(id);
  function make(tag, text, ...inner) {
    const made = document.createElement(tag);
    made.textContent = text;
    made.append(...inner);
    return made;
  }
  function button(text, act) {
    const made = make("button", text);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }
  element("title").textContent = "Tables";
  element("about").textContent = "You own this server";
  element("owner").hidden = false;
  const offers = Object.entries(hello.offers);
  element("new").hidden = !offers.length;
  element("offer").replaceChildren(...offers.map(([ref, { title }]) => {
    const option = make("option", title === ref ? title : `${title} (${ref})`);
    option.value = ref;
    return option;
  }));
  element("bot").replaceChildren(...hello.bots.map((bot) => make("option", bot)));
  // The players, settings and overlays of the chosen game: they are asked for when it is chosen.
  const choices = new Map();
  function bounds([least, most]) {
    Object.assign(element("players"), { min: least, max: most, value: least });
  }
  function choose() {
    bounds(hello.offers[element("offer").value]?.players ?? [1, 100]);
    element("choices").replaceChildren();
    choices.clear();
    sent({ do: "offer", rules: element("offer").value });
  }
  function field({ name, doc, values, bounds: range, default: usual }) {
    const input = document.createElement(values ? "select" : "input");
    if (values) input.replaceChildren(...values.map((each) => Object.assign(make("option", each.replace(/_/g, " ")), { value: each })));
    else Object.assign(input, { type: "number", min: range[0], max: range[1] });
    input.value = usual;
    choices.set(name, { input, usual });
    const label = make("label", `${name.replace(/_/g, " ")} `, input);
    label.title = doc;
    return label;
  }
  function overlay({ id, title, doc }) {
    const input = Object.assign(document.createElement("input"), { type: "checkbox", value: id });
    const label = make("label", "", input, make("span", ` ${title}`));
    label.title = doc;
    return label;
  }
  function offer({ ref, players, settings, overlays }) {
    if (ref !== element("offer").value) return;
    bounds(players);
    const part = (title, fields) => (fields.length ? [make("fieldset", "", make("legend", title), ...fields)] : []);
    element("choices").replaceChildren(...part("House rules", overlays.map(overlay)), ...part("Settings", settings.map(field)));
  }
  const chosen = () => ({
    overlays: [...element("choices").querySelectorAll("input[type=checkbox]:checked")].map((input) => input.value),
    settings: Object.fromEntries([...choices].filter(([, { input, usual }]) => input.value !== usual).map(([name, { input }]) => [name, input.value])),
  });
  element("offer").addEventListener("change", choose);
  if (offers.length) choose();
  element("new").addEventListener("submit", (event) => {
    event.preventDefault();
    send({ do: "new", rules: element("offer").value, players: Number(element("players").value),
      bots: Number(element("bots").value), bot: element("bot").value, reveals: element("reveals").checked, ...chosen() });
  });
  const role = (text) => (text.startsWith("seat:") ? `Seat ${text.slice(5)}` : "Spectators");

  // The time for a whole game, the hours of the day in which it runs, and the pause.
  function clockOf({ id, limits, paused }) {
    const input = (type, value, more = {}) => Object.assign(document.createElement("input"), { type, ...more }, type === "checkbox" ? { checked: value } : { value });
    const written = (minutes) => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
    const read = (text) => { const [hours = 0, minutes = 0] = text.split(":").map(Number); return 60 * hours + minutes; };
    const budget = input("number", Math.round(limits.budget / 60), { min: 0 }), increment = input("number", limits.increment, { min: 0 });
    const zone = input("text", limits.zone, { placeholder: Intl.DateTimeFormat().resolvedOptions().timeZone, size: 20 });
    const opens = input("time", limits.zone ? written(limits.opens) : "08:00"), closes = input("time", limits.zone ? written(limits.closes) : "22:00"), pause = input("checkbox", paused);
    for (const each of [budget, increment, zone, opens, closes, pause])
      each.addEventListener("change", () => change({ do: "clock", game: id, pauses: pause.checked, limits: { budget: 60 * Number(budget.value),
        increment: Number(increment.value), zone: zone.value.trim(), opens: read(opens.value), closes: read(closes.value) } }));
    return [make("label", "Minutes for each player in the whole game (0: no limit) ", budget), make("label", "plus seconds for each decision ", increment),
      make("label", "Daily hours in which time runs, in the time zone (empty: always) ", zone), make("label", "from ", opens), make("label", "to ", closes),
      make("label", "The clock is stopped ", pause)];
  }
  function tableOf(table) {
    const rows = table.seats.map((seat) => make("tr", "", make("td", seat.id), make("td", seat.name),
      make("td", `${seat.kind}${seat.bot ? ` (${seat.bot})` : ""}${seat.here ? ", here" : ""}${seat.asked ? ", to decide" : ""}`), make("td", "",
        button("New link", () => send({ do: "renew", game: table.id, role: `seat:${seat.id}` })),
        ...seat.kind === "free" ? [] : [button("Remove the player", () => confirm(`Remove ${seat.name || seat.id}? Their link ends.`) && send({ do: "remove", game: table.id, seat: seat.id }))],
        ...hello.bots.map((bot) => button(`Let a bot play (${bot})`, () => send({ do: "bot", game: table.id, seat: seat.id, bot }))))));
    const minutes = document.createElement("input");
    Object.assign(minutes, { type: "number", min: 0, value: Math.round(table.deadline / 60) });
    minutes.addEventListener("change", () => change({ do: "deadline", game: table.id, seconds: 60 * Number(minutes.value) }));
    const clock = clockOf(table);
    const absent = document.createElement("input"), answers = document.createElement("input");
    Object.assign(absent, { type: "number", min: 0, value: Math.round(table.absent / 60) });
    Object.assign(answers, { type: "checkbox", checked: table.answers });
    for (const each of [absent, answers])
      each.addEventListener("change", () => change({ do: "undo", game: table.id, seconds: 60 * Number(absent.value), answers: answers.checked }));
    const opinions = document.createElement("input");
    Object.assign(opinions, { type: "checkbox", checked: table.opinions });
    opinions.addEventListener("change", () => change({ do: "opinions", game: table.id, opinions: opinions.checked }));
    const reveals = document.createElement("input");
    Object.assign(reveals, { type: "checkbox", checked: table.reveals });
    reveals.addEventListener("change", () => change({ do: "reveal", game: table.id, reveals: reveals.checked }));
    const limits = make("details", "", make("summary", "Time, taking back, opinions"),
      make("label", "Minutes for each decision (0: no limit) ", minutes),
      ...clock,
      make("label", "Minutes after which a request to take back no longer waits for absent players (0: it always waits) ", absent),
      make("label", "A bot's answer counts as seen: taking it back needs everybody's consent ", answers),
      make("label", "Bots give opinions in copies while the game goes on ", opinions),
      ...table.secretive ? [make("label", "Reveal everything to everybody after the end (can be set until the first decision) ", reveals)] : []);
    limits.open = unfolded.has(table.id);
    limits.addEventListener("toggle", () => unfolded[limits.open ? "add" : "delete"](table.id));
    const decisions = `${table.decisions} ${table.decisions === 1 ? "decision" : "decisions"}`;
    const article = make("article", "",
      make("h2", `${table.game}: ${decisions}${table.over ? ", over" : ""} `, make("small", table.rules)),
      make("table", "", ...rows),
      limits,
      make("p", "", button("New link for spectators", () => send({ do: "renew", game: table.id, role: "spectator" })),
        button("Save the log", () => send({ do: "log", game: table.id })),
        button("Delete the table", () => confirm("Delete this table for good?") && send({ do: "delete", game: table.id }))));
    article.id = `table-${table.id}`;
    return article;
  }
  // Tables that change while something is typed into one are drawn when that is done and has been answered.
  let typing = null, waiting = null;
  function draw(tables) {
    waiting = typing || asked ? tables : null;
    if (waiting) return;
    const of = document.activeElement.closest("#tables article")?.id;
    const fields = () => [...document.getElementById(of)?.querySelectorAll("input") ?? []];
    const at = fields().indexOf(document.activeElement);
    element("tables").replaceChildren(...tables.map(tableOf),
      ...Object.entries(hello.faults).map(([id, why]) => make("p", `Table ${id} could not be resumed: ${why}`)));
    const field = fields()[at];  // who has gone to a field goes on there
    field?.focus();
    field?.select();
  }
  element("tables").addEventListener("input", ({ target }) => { typing = target; });
  for (const end of ["change", "focusout"]) element("tables").addEventListener(end, () => {
    typing = null;
    if (waiting) draw(waiting);
  });
  return {
    tables: draw,
    keys: answered(({ keys }) => element("keys").replaceChildren(...Object.entries(keys).map(([of, key]) =>
      make("p", `${role(of)}: ${location.origin}/#${key}`)))),
    refused: answered(({ text }) => notice(text)),
    offer,
    log: answered((text) => saveFile(text, "game.jsonl")),
    done: answered(),
    lost: answered((is) => notice(is ? "The connection is lost; the page reconnects by itself." : "")),
  };
}
