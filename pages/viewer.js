"use strict";
// The viewer: where the game stands is the number of moves made, 0 to `end`; a log that breaks a rule has a last stop.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const words = data.words, fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const element = (id) => document.getElementById(id);
  const end = data.moves.length + (data.stop ? 1 : 0);
  let now = -1, written = 0;

  function make(tag, text, className) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // --- what does not change
  const svg = document.querySelector("#board > svg"), owned = [...document.querySelectorAll("#board .owned")];
  const showBoard = svg || owned.length ? makeBoard(data.board, element("board")) : () => {};
  if (svg) makeZoom(svg, { closer: element("closer"), farther: element("farther"), whole: element("whole") });
  else if (!owned.length) document.querySelector("main").classList.add("bare");
  for (const each of owned) {  // boards of owners: on a phone, only the first is open
    each.open = innerWidth > 800 || each === owned[0];
    each.querySelector("button").addEventListener("click", () => {
      for (const other of owned) other.classList.toggle("large", other === each && !other.classList.contains("large"));
    });
  }
  element("zoom").hidden = !svg;
  const showChart = data.measures.length ? makeCharts(data.measures, data.moves.length + 1, goTo) : () => {};
  if (!data.measures.length) element("charts").hidden = true;
  const showTables = makeTables(data.tables, element("tables"));
  const showVariations = makeVariations(data.variations, { word: words.variation, make, box: element("variations"), look });
  // A position of a variation: what has changed since the position before it is marked.
  function look(position, before) {
    showBoard(position, before);
    showTables(position, before);
  }
  const slider = element("slider");
  slider.max = end;

  // --- the list of moves
  // A move that changes nothing, such as a pass; the start and the end are none.
  function isQuiet(number) {
    return number > 0 && number < end && !data.moves[number - 1].changes;
  }
  const list = element("list"), rows = [];
  function addRow(number, text, rules, className) {
    const row = make("li", "", className);
    row.dataset.move = number;
    if (isQuiet(number)) row.classList.add("quiet");
    if (number && data.moves[number - 1]?.turn) row.classList.add("turn");
    row.append(make("b", number), make("span", text), make("small", rules.map((r) => data.rules[r][0]).join(" ")));
    rows.push(row);
  }
  addRow(0, words.start, []);
  data.moves.forEach((move, i) => addRow(i + 1, move.text, (move.own || move.ran || []).slice(0, 1), move.chance ? "chance" : ""));
  if (data.stop) addRow(end, data.stop.text, [], "wrong");
  list.append(...rows);
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (row) goTo(Number(row.dataset.move));
  });

  // --- one move
  // A change, or what has happened by itself with its changes: `[sentence, change, …]`.
  function listed(entry) {
    if (!Array.isArray(entry)) return make("li", entry);
    const item = make("li", entry[0]), inner = make("ul", "");
    inner.append(...entry.slice(1).map((text) => make("li", text)));
    item.append(inner);
    return item;
  }

  function showMove(number) {
    const stopped = data.stop && number === end;
    const move = stopped ? data.stop : number ? data.moves[number - 1] : { text: words.start, own: [], ran: [], changes: [] };
    element("move").className = stopped ? "wrong" : "";
    element("number").textContent = `${number} / ${end}`;
    element("text").textContent = move.text;
    const told = stopped ? data.stop.rows : number === end ? data.ending : [];
    element("stop").replaceChildren(...told.flatMap(([name, text]) => [make("dt", name), make("dd", text)]));
    const opinion = move.opinion ? [make("li", move.opinion, "opinion")] : [];
    element("changes").replaceChildren(...(move.changes || []).map(listed), ...opinion);
    element("why").hidden = !move.why;
    element("why").querySelector("summary").textContent = words.table_why;
    element("why").querySelector("div").replaceChildren(...(move.why ? [treeOf(move.why, make)] : []));
    const own = (move.own || []).map((rule) => button(rule, "own")), ran = (move.ran || []).map((rule) => button(rule));
    element("rules").replaceChildren(
      ...(own.length ? [words.page_rests + " ", ...own] : []), ...(ran.length ? [` ${words.page_ran} `, ...ran] : []));
    element("cited").replaceChildren();
  }

  // What was done here in other games: the option, how often it was taken, and in how many of these games it won.
  function showArchive(number) {
    const here = data.archive?.[number];
    element("archive").hidden = !here;
    if (!here) return;
    const head = make("caption", fill(words.page_archive, { times: here.times })), names = make("tr", "");
    names.append(make("th", ""), make("th", words.page_archive_times), make("th", words.page_archive_won));
    const rows = here.options.map(([text, times, won, taken]) => {
      const row = make("tr", "", taken ? "taken" : "");
      row.append(make("td", text), make("td", times), make("td", won));
      return row;
    });
    element("archive").replaceChildren(head, names, ...rows);
  }

  function button(rule, className) {
    const [id, text, overlay] = data.rules[rule];
    const made = make("button", overlay ? `${id} (${overlay})` : id, className);
    made.title = text;
    made.addEventListener("click", () => element("cited").replaceChildren(make("dt", id), make("dd", text || "…")));
    return made;
  }

  // Scrolls the list, and nothing else, to a row.
  function show(row) {
    const box = element("moves");
    box.scrollTop = row.offsetTop - box.offsetTop - (box.clientHeight - row.offsetHeight) / 2;
  }

  // --- going from move to move
  function goTo(number) {
    number = Math.max(0, Math.min(end, Math.trunc(number) || 0));
    if (number === now) return;
    if (now >= 0) rows[now].removeAttribute("aria-current");
    now = number;
    showBoard(now);
    showMove(now);
    showArchive(now);
    showVariations(now);
    showChart(now);
    showTables(now);
    slider.value = now;
    slider.setAttribute("aria-valuetext", `${fill(words.page_of, { number: now, end })}: ${rows[now].children[1].textContent}`);
    rows[now].setAttribute("aria-current", "step");
    show(rows[now]);
    requestAnimationFrame(() => show(rows[now]));  // rows that wrap have their height only when they are seen
    for (const id of ["first", "back", "turn_back"]) element(id).disabled = !now;
    for (const id of ["next", "turn_next", "last"]) element(id).disabled = now === end;
    if (now === end) play(false);
    clearTimeout(written);  // browsers refuse to have the address changed at every step of a slider
    written = setTimeout(() => history.replaceState(null, "", `#${now}`), 300);
  }

  // The nearest move in a direction that the list shows.
  function step(by) {
    let to = now + by;
    while (element("quiet").checked && to > 0 && to < end && isQuiet(to)) to += Math.sign(by);
    goTo(to);
  }
  // The end of a turn before, or of the next one: the position before another seat, or what it acts for, begins.
  function turn(by) {
    let to = now + by;
    while (to > 0 && to < end && !(data.moves[to] && data.moves[to].turn)) to += by;
    goTo(to);
  }
  let playing = null;
  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => step(1), 1000) : null;
    element("play").textContent = on ? "❚❚" : "▶";
    element("play").setAttribute("aria-pressed", String(on));
  }

  const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, [type=checkbox]")) return;
    if (event.key === "p" || event.key === "P") play(playing === null);
    if (!(event.key in steps)) return;
    event.preventDefault();
    const by = steps[event.key];
    if (Math.abs(by) !== 1) goTo(Math.max(0, Math.min(end, now + by)));
    else if (event.shiftKey) turn(by);
    else step(by);
  });
  slider.addEventListener("input", () => goTo(Number(slider.value)));
  element("first").addEventListener("click", () => goTo(0));
  element("back").addEventListener("click", () => step(-1));
  element("next").addEventListener("click", () => step(1));
  element("turn_back").addEventListener("click", () => turn(-1));
  element("turn_next").addEventListener("click", () => turn(1));
  element("play").addEventListener("click", () => play(playing === null));
  element("quiet").addEventListener("change", () => list.classList.toggle("loud", element("quiet").checked));
  element("last").addEventListener("click", () => goTo(end));

  showOpinions(data.opinions, element("opinions"), make, goTo);
  const asked = ({ hash }) => (/^#\d{1,9}$/.test(hash) ? Number(hash.slice(1)) : data.begin);
  addEventListener("hashchange", (event) => goTo(asked(new URL(event.newURL))));  // the address may be another by now
  goTo(asked(location));
})();
