"use strict";
// The page of a table: it shows what the server sends, and sends the text of an option. It knows no game.
const MOST_LETTERS = 24;
function makeTable(hello, sent) {
  // In a copy to try things out one page plays all seats: it says for which.
  const send = (message) => sent(hello.alone && hello.seat ? { seat: hello.seat, ...message } : message);
  const element = (id) => document.getElementById(id);
  const word = (name, values = {}) => hello.words[name].replace(/\{(\w+)\}/g, (_, hole) => values[hole] ?? "");
  const drift = hello.now - Date.now() / 1000;
  const state = { seats: [], options: [], ready: [], here: [], moves: new Map(), count: 0, serial: 0 };
  // What has been chosen of an option: places, and within them groups of buttons; `narrowing` has the groups before the places.
  let clicked = [], within = [], narrowing = null, anchor = null, mine = false;
  let byKeys = false;  // the element with the focus has gone, and keys had brought it there
  let paused = false;  // after decisions were taken back, the next one is taken by hand

  function make(tag, text, className) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }
  function button(text, act, className) {
    const made = make("button", text, className);
    made.type = "button";
    made.addEventListener("click", act);
    return made;
  }

  // --- what stays
  document.documentElement.lang = hello.language;
  for (const each of document.querySelectorAll("[data-word]")) each.textContent = word(each.dataset.word);
  element("title").textContent = hello.game;
  const chosenSettings = Object.entries(hello.settings).filter(([name]) => hello.changed.includes(name));
  const rulesOf = [`${hello.rules} ${hello.version}`, ...chosenSettings.map(([name, value]) => `${name} = ${value}`)];
  element("board").innerHTML = hello.board;  // drawn by Rulespec
  element("board").setAttribute("aria-label", word("page_board"));
  element("moves").setAttribute("aria-label", word("page_moves"));
  const isDrawn = Boolean(hello.plan), { plan } = hello, root = element("table");
  root.hidden = false;
  root.className = isDrawn ? "" : "bare";
  const people = isDrawn ? plan.kinds[hello.player] : { titles: [], looks: [] };
  const showPicture = isDrawn ? makePicture(element("board"), makeDrawing(plan)) : () => null;
  const panels = isDrawn ? makePanels(element("board"), element("beside"), element("zoom"), word, plan, hello.player) : null;
  const hasBoards = element("board").querySelector("figure") !== null;
  if (isDrawn && !hasBoards) element("board").replaceChildren(element("holdings"));
  const tables = isDrawn ? makeTables(plan.tables, element("holdings")) : null;
  const places = isDrawn ? makePlaces(root, titleOf, onPlace, () => hello.seats.indexOf(hello.seat)) : { show() {}, point() {}, drawn: () => new Set() };

  const undo = makeUndo({ word, nameOf, send, make, button, alone: Boolean(hello.alone) }, state, () => hello.seat);
  const helps = makeHelps({ word, make, send: sent, habit }, hello);
  const preview = makePreview({ word, make, send, titleOf, helpOf, mark, asks: hello.asks.includes("preview") }, pointedAt);
  ignoreDoubleClicks(document, "#board, #beside, #options, #bubble, #undo, #own, #lines");
  const reasons = hello.asks.includes("reason") ? makeReasons({ word, make, button, send: sent }) : null;
  const middle = makeMiddles(root, plan ?? { boards: [], kinds: {} }, hello.seats), ways = makeWays(root, middle);
  const news = makeNews(element("news"), element("latest"), root, word, middle);

  // --- people: their names as they are typed, in part if they are long, and in quotes if the rules have such a word
  const known = new Set([...Object.values(hello.titles), ...Object.values(hello.names)].map((text) => text.toLowerCase()));
  // Long names that are equal up to there have their seats.
  function cut(name) {
    const letters = [...name];
    return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join("")}…` : name;
  }
  function nameOf(seat) {
    const name = state.seats.find((each) => each.id === seat)?.name ?? seat, shown = cut(name);
    if (name === seat) return seat;
    const alike = shown !== name && state.seats.some((each) => each.id !== seat && cut(each.name) === shown);
    return `\u2068${known.has(name.toLowerCase()) ? `“${shown}”` : shown}\u2069${alike ? ` (${seat})` : ""}`;
  }
  // What a seat is in the game: by a name of its own, such as White, or by its colour.
  const roles = new Map(hello.seats.map((seat, number) => [seat, (seat.length > 1 ? people.titles[number] ?? seat : people.roles?.[number]) ?? ""]));
  const roleOf = (seat) => roles.get(seat).replace(/^./u, (letter) => letter.toLocaleUpperCase(hello.language));
  const ownRole = (seat) => (roles.get(seat) === nameOf(seat) ? "" : roles.get(seat));
  const personOf = (seat) => [nameOf(seat), ownRole(seat) && `(${ownRole(seat)})`].filter(Boolean).join(" ");
  let called = "";
  function showNames() {
    const names = hello.seats.map(nameOf);
    if (names.join("\n") === called || !isDrawn) return false;
    called = names.join("\n");
    people.titles = names;
    for (const each of document.querySelectorAll("svg [data-seat]")) fitName(each, names[each.dataset.seat]);
    for (const each of document.querySelectorAll("[data-owner-seat]")) each.textContent = names[each.dataset.ownerSeat];
    tables.build((table, row, parts) => (plan.tables[table].kind === hello.player ? [parts[0], names[row]] : parts));
    return true;
  }
  // A name in the room that the id of the seat had on the board.
  function fitName(group, name) {
    const text = group.querySelector("text"), room = Number(group.dataset.room), letters = [...name];
    text.textContent = name;
    while (letters.length > 2 && text.getComputedTextLength() > room) {
      letters.splice(-2, 1);
      text.textContent = `${letters.slice(0, -1).join("")}…\u2069`;
    }
  }
  showHouseRules(element("house"), hello.house ?? [], word, make);
  function showAbout() {
    const who = hello.seat ? word("table_you", { seat: personOf(hello.seat) }) : word("table_watch");
    element("about").textContent = [hello.about ?? (hello.alone ? word("table_copy") : who), ...state.reveals ? [word("table_reveals")] : [], ...rulesOf].join(" · ");
  }
  function titleOf(place) {
    const [kind, ...rest] = place.split("."), id = rest.join(".");
    if (kind === hello.player) return nameOf(id);
    return hello.titles[place] ?? plan?.kinds[kind]?.titles[plan.kinds[kind].names.indexOf(id)] ?? id.replace(/_/g, " ");
  }
  // An entity as a chip in its colours; null if it has none.
  function chipOf(place) {
    const [kind, ...rest] = place.split("."), of = plan?.kinds[kind], look = of?.looks[of.names.indexOf(rest.join("."))];
    if (!look) return null;
    const made = make("span", look[2], "chip");
    [made.style.background, made.style.color] = look;
    return made;
  }
  const valueOf = ({ kind, id }) => (kind === "int" || kind === "bool" ? id : titleOf(`${kind}.${id}`));

  // --- habits of this browser
  function habit(name, starts) {
    const box = element(name);
    try { box.checked = (localStorage.getItem(name) ?? starts) === "yes"; } catch { box.checked = starts === "yes"; }
    box.addEventListener("change", () => { try { localStorage.setItem(name, box.checked ? "yes" : "no"); } catch { /* not stored */ } });
    return box;
  }
  const auto = habit("auto", "no"), sound = habit("sound", "no"), notices = makeNotices(habit);
  if (!hello.seat && !hello.alone && !hello.about) {  // who watches decides nothing
    element("news").querySelector("h3").textContent = word("table_round");
    for (const id of ["auto", "notify", "learn"]) element(id).closest("label").hidden = true;
  }
  function beep() {
    const audio = new AudioContext(), tone = audio.createOscillator(), volume = audio.createGain();
    volume.gain.value = 0.08;
    tone.frequency.value = 660;
    tone.connect(volume).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.18);
  }

  // --- the state, cell by cell, in the form of `state_json`
  const cells = new Map();
  const isSeen = (value) => value === null || Array.isArray(value) || !["object", "undefined"].includes(typeof value);
  function stateOf() {
    const entities = {}, pieces = {};
    hello.cells.forEach(([group, owner, name, place], number) => {
      const value = cells.get(number);
      if (group === "pieces") {
        if (value) ((pieces[name] ??= {})[owner] ??= {})[place] = value;
      } else {
        const fields = (entities[group] ??= {})[owner] ??= {};
        if (isSeen(value)) fields[name] = value;
      }
    });
    return { entities, pieces, counts: state.counts };
  }

  // --- values that neither the picture nor a table in it has
  function showValues({ entities, pieces }) {
    const texts = hello.values.map(({ path: [group, owner, name, place], of }) => {
      if (group === "pieces") return String(pieces[name]?.[owner]?.[place] ?? "");
      return shownValue(entities[group]?.[owner]?.[name], of);
    });
    const rows = hello.values.flatMap(({ title }, i) => (texts[i] ? [make("dt", title), make("dd", texts[i])] : []));
    element("values").hidden = !rows.length;
    element("values").querySelector("dl").replaceChildren(...rows);
  }
  function shownValue(value, of) {
    if (value === undefined) return "?";
    if (value === null || value.length === 0) return "–";
    if (Array.isArray(value)) return value.map((each) => shownValue(each, of)).join(", ");
    if (typeof value === "boolean") return word(value ? "yes" : "no");
    return of ? titleOf(`${of}.${value}`) : String(value).replace(/_/g, " ");
  }

  // --- choosing
  const own = () => state.options.filter((option) => !option.out_of_turn);
  // Options with what can be clicked of them. What the words of all of them name says nothing.
  function clickable(options) {
    const drawn = places.drawn(), is = ({ kind, id }) => drawn.has(`${kind}.${id}`);
    const named = options.map((option) => new Set(option.named));
    const common = new Set(options.length > 1 ? [...named[0]].filter((place) => named.every((each) => each.has(place))) : []);
    return options.map((option) => ({
      ...option, whole: option, arguments: option.arguments.filter(is),
      named: option.named.filter((place) => drawn.has(place) && !common.has(place)),
    }));
  }
  // The places at which the open question is asked, if it is asked of this seat, and no option is there.
  function about() {
    const drawn = places.drawn(), taken = new Set(state.options.flatMap((option) => [...placesOf(option.arguments), ...option.named]));
    return own().length ? (state.asked?.about ?? []).filter((place) => drawn.has(place) && !taken.has(place)) : [];
  }
  const taken = { text: "", words: "" };
  const often = new Map();  // how often an option of a decision was taken here: what is likeliest stands first
  const kindOf = (option) => `${state.asked?.decision}.${option.name}`;
  const take = (option) => {
    often.set(kindOf(option), (often.get(kindOf(option)) ?? 0) + 1);
    Object.assign(taken, { text: option.text, words: labelOf(option) });
    paused = false;
    leave();
    [clicked, within, narrowing] = [[], [], null];
    closeBubble();
    helps.taken();
    send({ do: "take", serial: state.serial, option: option.text });
    element("refused").textContent = "";
  };
  // What is done out of turn in words: the text of the option, filled with its arguments.
  function calledOf({ name, arguments: args }) {
    const call = hello.calls?.[`${state.asked?.decision}.${name}`];
    const shown = (at) => {
      const { kind, id } = args[at], unit = kind === "int" && call.units[at];
      return unit ? unit[id === "1" ? 0 : 1].replace("{number}", id) : valueOf(args[at]);
    };
    return call ? call.parts.map((part) => (typeof part === "number" ? shown(part) : part)).join("") : "";
  }
  const calledName = (name) => hello.names[name] ?? name.replace(/_/g, " ");
  function labelOf(option) {
    if (option.words) return option.words;
    return [calledName(option.name), option.arguments.map(valueOf).join(", ")].filter(Boolean).join(": ");
  }

  // An element's option, if a click on it leaves only one; its place with the choices, if it leaves several; its place, if it
  // is the seat's turn and no option has it, or if there is a help for it.
  function pointedAt({ dataset: { option, place, group } }) {
    if (group !== undefined) return grouped.get(group) ?? null;
    const pointed = (of) => ({ option: { text: of.text, words: labelOf(of) } });
    if (option !== undefined) {
      const found = state.options.find((each) => each.text === option);
      return found ? pointed(found) : null;
    }
    if (!place) return null;
    const now = chosen(), pool = now.places.length || within.length ? now.options : state.options;
    const { options } = own().length ? choose(clickable(pool), [...now.places, place]) : { options: [] };
    if (options.length === 1) return pointed(options[0].whole);
    if (options.length) {
      const rank = (option) => {  // sources before targets
        const at = placesOf(option.arguments).indexOf(place);
        return at < 0 ? option.arguments.length : at;
      };
      const choices = options.toSorted((a, b) => rank(a) - rank(b)).map((option) => labelOf(option.whole));
      return { place, title: titleAmong(place, choices), choices };
    }
    if (own().length && !now.places.length && !within.length && !about().includes(place)) return { place };
    return helps.has(place) ? { place, help: true } : null;
  }
  // Shows where an option would be carried out.
  function mark(option) {
    const found = option && state.options.find((each) => each.text === option.text);
    places.point(found ? [...placesOf(found.arguments), ...found.named] : []);
    ways(found?.ways ?? [], "meant");
  }
  // The helps of an option, those of what it names first, or of a place.
  function helpOf({ option, place }) {
    if (place) return helps.lines([place]);
    const found = state.options.find((each) => each.text === option.text);
    return found ? helps.lines([...placesOf(found.arguments), kindOf(found)]) : [];
  }

  function onPlace(place, at, event) {
    if (!place) {
      const other = event?.target.closest("[data-place]"), what = !clicked.length && other && pointedAt(other);
      if (clicked.length || within.length) reset();
      else if (reasons && what?.place && preview.speaks(what.place)) reasons.ask(titleOf(what.place), { place: what.place });
      return;
    }
    anchor = at;
    if (!clicked.length && about().includes(place)) {
      openBubble(own().slice(0, 12));
      return;
    }
    if (within.length) {
      const { options, places: shared } = chosen();
      narrowing = { texts: new Set(options.map(({ text }) => text)), names: [...narrowing?.names ?? [], ...within.map((key) => groupNames.get(key))], shared };
      [clicked, within] = [[...shared], []];
    }
    clicked.push(place);
    const found = choose(clickable(offered()), clicked);
    if (found.only) take(found.only.whole);
    else showOptions(true);
  }
  function reset() {
    [clicked, within, narrowing] = [[], [], null];
    closeBubble();
    showOptions(false);
  }

  const groupNames = new Map(), grouped = new Map();  // what a group of buttons is called, and has
  const amounts = new Map();  // the number that is chosen in a field
  // Groups by the names of options only if people read these: in words of their own, the name is an identifier.
  function splitOf(options) {
    const few = fewChoices(options), starts = few && beginnings(few, valueOf);
    if (few?.every(({ options: inside }, number) => inside.length === 1 || starts[number])) return few;
    const split = groups(options), begun = split && !numbered(split) && beginnings(split, valueOf);
    const isRead = ({ name, words }) => name in hello.names || !words;
    const isCalled = ({ value, options: inside }, number) => !("name" in value) || begun[number] || inside.some(isRead);
    return !begun || split.every(isCalled) ? split : groups(options, undefined, false) ?? split;
  }
  // The options of a group, and the part of its path that there is.
  function narrowed(options, path) {
    let left = options;
    const steps = [];
    for (const key of path) {
      const found = splitOf(left)?.find((each) => JSON.stringify(each.value) === key);
      if (!found) break;
      steps.push(key);
      left = found.options;
    }
    return { left, steps };
  }
  const offered = () => (narrowing ? state.options.filter(({ text }) => narrowing.texts.has(text)) : clicked.length ? state.options : own());
  // The options that are left by clicks and open groups, and their common places, which need no click.
  function chosen() {
    const remaining = choose(clickable(offered()), clicked).options.map((option) => option.whole);
    const { left: options, steps } = narrowed(remaining, within);
    if (!steps.length) return { options, places: clicked };
    const each = clickable(options).map((option) => placesOf(option.arguments));
    const shared = [...new Set(each[0])].filter((place) => !clicked.includes(place) && each.every((all) => all.includes(place)));
    return { options, places: [...clicked, ...shared] };
  }
  // The title of a place; if it says nothing about which one it is, what is common to the choices there.
  function titleAmong(place, choices) {
    const title = titleOf(place);
    return choices.some((text) => text.includes(title)) ? title : sharedWords(choices) || title;
  }
  function buttonsOf(options, path, go) {
    const { left, steps } = narrowed(options, path), split = splitOf(left);
    const single = (option) => {
      const made = button(labelOf(option), () => take(option));
      made.dataset.option = option.text;
      return made;
    };
    if (!split) return left.map(single);
    const field = numbered(split);
    const begun = field ? [] : beginnings(split, valueOf);
    const buttonFor = ({ value, options: inside }, number) => {
      if (inside.length === 1) return single(inside[0]);
      const key = JSON.stringify(value), named = "name" in value;
      groupNames.set(key, begun[number] ? `${begun[number]} …` : named ? calledName(value.name) : valueOf(value));
      const made = button(`${groupNames.get(key)} (${sizeOfGroup(inside)})`, () => go([...steps, key]), "group");
      made.dataset.group = JSON.stringify([...steps, value]);
      grouped.set(made.dataset.group, { place: made.dataset.group, title: groupNames.get(key), choices: inside.map(labelOf) });
      return made;
    };
    if (!field) return split.map(buttonFor);
    const numbers = [...field.keys()], all = JSON.stringify([...steps, left[0].text]), ends = [numbers[0], numbers.at(-1)].map((number) => labelOf(field.get(number).options[0]));
    const title = sharedWords(ends).replace(/[,;:]$/, "") || calledName(left[0].name);
    const made = makeNumberField(make, title, numbers, amounts.get(all) ?? numbers[0], (number) => buttonFor(field.get(number)), (number) => amounts.set(all, number));
    made.dataset.group = all;
    return [made];
  }
  // Buttons that are the same stay: a click may be under way, and the focus is on one.
  function fill(box, buttons) {
    const same = (made, i) => made.textContent === box.children[i].textContent && ["option", "group"].every((name) => made.dataset[name] === box.children[i].dataset[name]);
    if (buttons.length === box.children.length && buttons.every(same)) return;
    if (box.contains(document.activeElement)) leave();
    box.replaceChildren(...buttons);
  }
  // Who decides by keys goes on at the next question where the buttons are, not at the top of the page.
  function leave() {
    byKeys ||= document.activeElement.matches(":focus-visible");
  }
  function goOn() {
    const first = element("options").querySelector("button, input");
    if (!byKeys || !first) return;
    byKeys = false;
    if (document.activeElement === document.body) first.focus();
  }
  document.addEventListener("pointerdown", () => { byKeys = false; });

  // The way that the choice has so far: that of the only option, or the clicks, if a way begins with them.
  function walked({ options, places: chosenPlaces }) {
    if (chosenPlaces.length && options.length === 1) return options[0].ways ?? [];
    const begins = ({ ways: all = [] }) => all.some((way) => chosenPlaces.every((place, at) => way[at] === place));
    return chosenPlaces.length > 1 && options.some(begins) ? [chosenPlaces] : [];
  }

  function showOptions(atPlace) {
    const now = chosen(), found = choose(clickable(now.options), now.places);
    places.show(found.lit, now.places, found.more, now.places.length || within.length ? [] : about());
    ways(walked(now), "clicked");
    panels?.asked([...found.lit, ...about()]);
    const remaining = choose(clickable(offered()), clicked).options.map((option) => option.whole);
    fill(element("options"), buttonsOf(remaining, within, (path) => { within = path; showOptions(false); }));
    const labels = remaining.map(labelOf), said = clicked.filter((place) => !narrowing?.shared.includes(place));
    const steps = [...narrowing?.names ?? [], ...said.map((place) => titleAmong(place, labels)), ...within.map((key) => groupNames.get(key))];
    element("clicked").hidden = !steps.length;
    element("clicked").replaceChildren(make("span", steps.join(" · ")), button(word("table_clear"), reset));
    closeBubble();
    const open = remaining.length && remaining.length <= 12 && !found.lit.some((place) => !clicked.includes(place));
    if (atPlace && anchor && open) openBubble(remaining);
    const others = state.options.filter((option) => option.out_of_turn);
    element("others").hidden = !others.length || clicked.length > 0;
    element("others").querySelector("summary").textContent = `${word("out_of_turn")} (${others.length})`;
    fillOthers(others, []);
    goOn();
  }
  function fillOthers(others, path) {
    fill(element("others").querySelector("div"), buttonsOf(others, path, (further) => fillOthers(others, further)));
  }

  // Buttons at the place that was clicked.
  function openBubble(options) {
    const bubble = make("div", "");
    bubble.id = "bubble";
    const likeliest = options.toSorted((a, b) => (often.get(kindOf(b)) ?? 0) - (often.get(kindOf(a)) ?? 0));
    bubble.append(...likeliest.map((option) => {
      const made = button(labelOf(option), () => take(option));
      made.dataset.option = option.text;
      return made;
    }));
    document.body.append(bubble);
    const box = anchor.getBoundingClientRect();
    const left = Math.min(box.left + box.width / 2, innerWidth - bubble.offsetWidth - 8);
    bubble.style.left = `${Math.max(8, left) + scrollX}px`;
    bubble.style.top = `${box.bottom + 6 + scrollY}px`;
    bubble.firstChild.focus({ preventScroll: true });
  }
  function closeBubble() {
    document.getElementById("bubble")?.remove();
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && (clicked.length || within.length)) reset(); });

  // --- what is shown
  function seconds(seat) {
    const at = state.asked?.waiting?.[seat];
    return at ? Math.max(0, Date.now() / 1000 + drift - at) : 0;
  }
  const since = (seat) => Math.floor(seconds(seat) / 60);
  const handOver = (seat) => hello.bots.map((bot) => button(word("table_hand", { bot }), () => send({ do: "bot", seat, bot })));
  if (hello.seat) element("leave").append(...handOver(hello.seat));
  function showSeats() {
    const waiting = Object.keys(state.asked?.waiting ?? {});
    element("seats").replaceChildren(...state.seats.map((seat) => {
      const item = make("li", "");
      item.classList.toggle("waited", waiting.includes(seat.id));
      item.classList.toggle("me", seat.id === hello.seat);
      const notes = [ownRole(seat.id)].filter(Boolean);
      if (seat.kind === "free") notes.push(word("table_free"));
      if (seat.kind === "bot") notes.push(`${word("table_bot")} ${seat.bot}`);
      if (seat.kind === "person" && !state.here.includes(seat.id)) notes.push(word("table_away"));
      if (state.ready.includes(seat.id)) notes.push(word("table_ready"));
      if (waiting.includes(seat.id)) notes.push(since(seat.id) ? word("table_since", { minutes: since(seat.id) }) : word("table_waited"));
      notes.push(...timeOf(seat.id, waiting.includes(seat.id)));
      if (state.result) notes.push(...scoreOf(seat.id));
      if (seat.id === hello.seat && !hello.alone) notes.unshift(word("table_me"));
      item.append(chipOf(`${hello.player}.${seat.id}`) ?? "", make("span", nameOf(seat.id)), make("small", notes.join(" · ")));
      const due = state.due?.[seat.id], late = due !== undefined && waiting.includes(seat.id) && Date.now() / 1000 + drift >= due;
      if (late && hello.seat && seat.id !== hello.seat) item.append(...handOver(seat.id));
      return item;
    }));
  }
  // Until when a seat may decide, or the time that it has left for the game.
  function timeOf(seat, waits) {
    const due = state.due?.[seat], left = state.left?.[seat];
    if (state.result) return [];
    if (waits && due !== undefined) return [word("table_until", { time: timeOfDay(due - drift) })];
    return left === undefined ? [] : [word("table_left", { minutes: Math.max(0, Math.floor(left / 60)) })];
  }
  function timeOfDay(at) {
    const when = new Date(at * 1000), today = when.toDateString() === new Date().toDateString();
    return when.toLocaleString(hello.language, { ...(today ? {} : { weekday: "short" }), hour: "2-digit", minute: "2-digit" });
  }
  function scoreOf(seat) {
    const notes = seat in state.result.scores ? [String(state.result.scores[seat])] : [];
    return state.result.winners.includes(seat) ? [...notes, word("table_won")] : notes;
  }

  function showTurn() {
    const asked = state.asked, waiting = Object.keys(asked?.waiting ?? {});
    const now = Boolean(hello.seat) && own().length > 0 && waiting.includes(hello.seat);
    if (now && !mine && sound.checked) beep();
    if (now && !mine) notices.show(hello.game, `${word("table_turn")}: ${asked.text}`);
    mine = now;
    element("turn").classList.toggle("mine", now);
    const others = waiting.filter((seat) => seat !== hello.seat), named = (of) => others.map(of).join(", ");
    let text = "", actor = "";
    if (state.fault) text = word("table_fault");
    else if (state.result) text = word("table_over", { ending: state.result.ending });
    else if (asked) {
      const acts = asked.actor && titleOf(asked.actor);
      if (now && (hello.alone || asked.several)) actor = acts ? asked.who : personOf(hello.seat);
      else if (now) actor = acts || roleOf(hello.seat) ? word("table_own", { actor: acts || roleOf(hello.seat) }) : word("table_turn");
      else if (others.length) actor = acts ? `${acts} (${named(nameOf)})` : word("table_waiting", { seats: named(personOf) });
      text = asked.text;
    }
    const sentence = actor ? `${actor}: ${text}` : text;
    if (element("question").textContent !== sentence) {
      const chip = asked?.actor ? chipOf(asked.actor) : now && hello.seat ? chipOf(`${hello.player}.${hello.seat}`) : null;
      const parts = actor ? [make("b", actor), `: ${text}`] : [text];
      element("question").replaceChildren(...parts);
      element("acting").replaceChildren(...chip && actor ? [chip] : []);
    }
    const doc = asked && !helps.has(asked.decision) ? asked.doc : "";  // else it is the rule at hand
    element("doc").textContent = [doc, asked?.together ? word("secret") : "", state.paused ? word("table_paused") : "", state.chosen ? word("table_chosen", { option: chosenWords() }) : ""].filter(Boolean).join(" · ");
    const winners = state.result?.winners.map(nameOf).join(", ");
    element("result").textContent = state.result ? `${word("won_by")}: ${winners || word("nobody")}` : "";
    const bell = undo.asked ? `● ${element("undo").firstChild.textContent.slice(0, 60)}` : now ? `● ${word("table_turn")}` : sentence.slice(0, 60);
    document.title = `${bell} · ${hello.game}`;
    element("withdraw").hidden = !state.chosen;
    const me = state.seats.find((seat) => seat.id === hello.seat);
    element("own").hidden = !me;
    element("leave").hidden = !me || me.kind !== "person" || Boolean(state.result) || hello.alone;
    const program = me?.kind === "bot" && !(me.stand_in && me.name !== me.id);  // a bot that stands in for nobody
    const free = me?.kind === "free" || program;
    element("sit").querySelector("button").textContent = word(program ? "table_play_seat" : "table_sit");
    element("sit").hidden = !free;
    element("return").hidden = !me?.stand_in || free;
    element("rematch").hidden = !state.result || !hello.asks.includes("rematch") || !(me || state.again);
    typed.show(now);
    element("opinion").hidden = !hello.asks.includes("opinion") || !(state.result || hello.alone);
    element("rematch").textContent = word(state.again ? "table_join" : "table_rematch");
    helps.show(asked, now || hello.alone, now);
    if (now && auto.checked && !paused && own().length === 1) take(own()[0]);
  }
  const chosenWords = () => (taken.text === state.chosen ? taken.words : state.chosen.replace(/_/g, " "));

  // What can be clicked is in sight when something is asked: else the page goes there. Who types is left alone.
  function reveal() {
    const isHit = (each) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      return width > 0 && each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    const all = [...element("options").children, ...root.querySelectorAll("[data-place].lit, [data-place].about")];
    if (!all.length || document.activeElement?.matches("input, select") || all.some(isHit)) return;
    document.documentElement.style.setProperty("--turn", `${element("turn").offsetHeight + 8}px`);
    all[0].scrollIntoView({ block: "nearest" });
  }

  // The numbers of the last move of chance, if they are dice.
  function lastRoll() {
    const numbers = [...state.moves.keys()].filter((number) => number < state.count && state.moves.get(number).by === null);
    return numbers.length ? state.moves.get(Math.max(...numbers)).roll ?? [] : [];
  }

  const list = element("list");
  function row(number) {
    const move = state.moves.get(number), item = make("li", "");
    item.dataset.move = number;
    const ask = () => reasons.ask(move.text, { to: number });
    const text = reasons ? button(move.text, ask, "why") : make("span", move.text);
    if (reasons) text.title = word("table_why");
    const head = make("div", "", "sentence");
    head.append(make("b", `${number + 1} `), text, undo.rowButton(number, move.by) ?? "");
    item.append(head);
    if (move.changes?.length) {
      const inner = make("ul", "");
      inner.append(...move.changes.map((text) => make("li", text)));
      if (reasons && move.changes.at(-1).startsWith("…")) inner.lastChild.replaceChildren(button(move.changes.at(-1), ask, "why"));
      item.append(inner);
    }
    return item;
  }
  function showMoves() {
    const numbers = [...state.moves.keys()].filter((number) => number < state.count).sort((a, b) => a - b);
    state.moves = new Map(numbers.map((number) => [number, state.moves.get(number)]));
    list.replaceChildren(...numbers.flatMap((number) => [...undo.notes(number), row(number)]), ...undo.notes(state.count));
    element("earlier").hidden = !numbers.length || numbers[0] === 0;
    const box = element("moves");
    box.scrollTop = box.scrollHeight;
  }

  element("sit").addEventListener("submit", (event) => {
    event.preventDefault();
    send({ do: "name", name: element("name").value });
  });
  element("withdraw").addEventListener("click", () => send({ do: "withdraw", serial: state.serial }));
  element("return").addEventListener("click", () => send({ do: "person" }));
  element("earlier").addEventListener("click", () => send({ do: "moves", before: Math.min(...state.moves.keys()) }));
  element("log").addEventListener("click", () => sent({ do: "log" }));
  // A window is opened by the click itself, or browsers refuse it; what it shows comes later, and only to one at a time.
  let opened = null;
  function ask(what, more = {}) {
    if (opened && !opened.closed) return;
    opened = window.open("about:blank", "_blank");
    if (opened) opened.document.body.append(word("table_loading"));
    sent({ do: what, ...more });
  }
  function closeOpened() {
    opened?.close();
    opened = null;
  }
  const show = (address) => { if (opened) opened.location = address; opened = null; };
  element("rematch").addEventListener("click", () => sent({ do: "rematch" }));
  element("study").addEventListener("click", () => ask("study"));
  element("fork").addEventListener("click", () => ask("fork"));
  element("opinion").addEventListener("click", () => ask("opinion"));
  const typed = makeTyped({ word, send, element }, state, hello.asks.includes("type"));
  const lines = makeOwnLines({ word, make, button, sent, ask }, hello.asks);
  element("rules").addEventListener("click", () => ask("rules"));
  for (const each of ["study", "fork"]) element(each).hidden = !hello.asks.includes(each);
  setInterval(showSeats, 10_000);

  return {
    frame(frame) {
      const whole = frame.since === 0, had = state.options;
      for (const name of ["serial", "seats", "asked", "options", "chosen", "ready", "undo", "free", "redo", "backs", "result", "fault", "deadline", "due", "left", "paused", "reveals", "here", "again", "counts"])
        if (name in frame) state[name] = frame[name];
      if (frame.options) state.options = frame.options.map((option) => ({ words: "", arguments: [], named: [], ...option }));
      for (const option of frame.options ? state.options : []) if (option.out_of_turn && !option.words) option.words = calledOf(option);
      const named = showNames();  // the tables are new then, without their values
      if (frame.seat) hello.seat = frame.seat;
      panels?.follow(hello.seats.indexOf(hello.seat));
      if (whole) state.moves.clear();
      for (const [number, move] of Object.entries(frame.moves.texts)) state.moves.set(Number(number), move);
      const moved = frame.moves.count !== state.count || Object.keys(frame.moves.texts).length > 0;
      if (frame.moves.count < state.count) paused = true;
      state.count = frame.moves.count;
      if (whole) cells.clear();
      for (const [number, value] of Object.entries(frame.cells ?? {})) cells.set(Number(number), value);
      if (frame.state || frame.cells || frame.counts || moved || whole || named) {
        const now = frame.state ?? stateOf();
        const shown = showPicture(now, whole, lastRoll());
        if (shown) tables.show(shown.tables, shown.turn, whole);
        panels?.fit();
        showValues(now);
      }
      if (whole || state.options !== had || frame.turn === frame.serial) {
        [clicked, within, narrowing] = [[], [], null];
        amounts.clear();
      }
      if (frame.turn === frame.serial) element("refused").textContent = "";
      preview.begin(frame.turn, state.serial);
      if (frame.turn === frame.serial) helps.begin();
      showOptions(false);
      if (moved || whole || ["undo", "free", "backs", "seats"].some((name) => name in frame)) showMoves();
      if (moved || whole) news.show(state.moves, state.count, hello.alone ? null : hello.seat);
      else if (named) news.draw();
      showAbout();
      showSeats();
      undo.show(() => { if (sound.checked) beep(); });
      showTurn();
      if (mine && frame.turn === frame.serial) reveal();
    },
    earlier(moves) {
      for (const [number, move] of Object.entries(moves)) state.moves.set(Number(number), move);
      showMoves();
      element("moves").scrollTop = 0;
    },
    refused({ text, values, stale }) {
      const seen = Object.entries(values).map(([name, value]) => `${name} = ${value}`).join(", ");
      closeOpened();
      lines.refused();
      element("refused").textContent = stale ? word("table_stale") : seen ? `${text} (${seen})` : text;
    },
    preview: (answer) => preview.answer(answer),
    hint: (answer) => helps.hint(answer, (text) => {
      const found = state.options.find((option) => option.text === text);
      return found ? labelOf(found) : "";
    }),
    reason: (answer) => reasons?.answer(answer),
    log: (text) => saveFile(text, "game.jsonl"),
    study: (page) => show(URL.createObjectURL(new Blob([page], { type: "text/html" }))),
    typed: () => typed.taken(),
    lines: (answer) => lines.answer(answer),
    rematch: (key) => { location.hash = key; },
    fork: (key) => show(`${location.pathname}#${key}`),
    lost(is) {
      if (is) closeOpened();
      if (is) preview.lost();
      notice(is ? word("table_lost") : "");
    },
  };
}

function saveFile(text, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function notice(text) {
  document.getElementById("notice").textContent = text;
  document.getElementById("notice").hidden = !text;
}
