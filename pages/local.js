"use strict";
// A table in the page: the module of WebAssembly has the rules, a worker the bots. To `table.js` it is what a server is:
// it says frames, and hears messages. What a log says is a stranger's: it is read within a bound, and shown as text.
(async () => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const BOTS = ["random", "flat:16", "flat:64", "flat:256"], MAX_LOG = 4_000_000, SHOWN_EVERY = 120;
  const element = (id) => document.getElementById(id);
  const bytes = await unpacked(fromBase64(data.module), "gzip", Infinity);
  const { board, plan, helps, values, words, styles } = JSON.parse(new TextDecoder().decode(await unpacked(fromBase64(data.large), "gzip", Infinity)));
  document.head.append(...styles.map((text) => Object.assign(document.createElement("style"), { textContent: text })));
  const game = await WasmGame.load(bytes);
  const { seats } = game.names, { secretive } = game;
  const lines = makeKeptLines();
  const row = game.room(game.registers.ROW / 8);
  const kinds = Object.fromEntries(seats.map((seat, i) => [seat, i ? "flat:64" : "person"]));
  if (secretive) for (const seat of seats.slice(1)) kinds[seat] = "random";
  let names = Object.fromEntries(seats.map((seat) => [seat, seat]));
  let seed = 0n, serial = 0, turn = 0, running = 0, moves = [], offered = [], fault = false, sent = 0, thinking = "", undone = [];

  // --- bots think in a worker: its scripts are those of this page
  const source = data.worker.map((number) => document.scripts[number].textContent).join("\n");
  const worker = new Worker(URL.createObjectURL(new Blob([source, `
    let game;
    onmessage = async ({ data }) => {
      if (data.bytes) game = WasmGame.load(data.bytes);
      else postMessage({ number: data.number, pick: botPick(await game, data.row, data.bot, data.seed, data.seat, data.ply) });
    };`], { type: "text/javascript" })));
  worker.postMessage({ bytes });
  let asking = 0;
  const answers = new Map();
  worker.onerror = (event) => answers.forEach((done) => done(Promise.reject(new Error(event.message))));
  worker.onmessage = ({ data: { number, pick } }) => {
    answers.get(number)?.(pick);
    answers.delete(number);
  };
  function thought(bot, seat) {
    game.save(row);
    const position = game.numbers.slice(row / 8, (row + game.registers.ROW) / 8);
    const number = ++asking;
    return new Promise((done) => {
      answers.set(number, done);
      worker.postMessage({ number, row: position, bot, seed, seat, ply: game.taken.length });
    });
  }

  // --- the course of the game
  const isPerson = (seat) => kinds[seat] === "person";
  // The person who is asked: of several that may decide, the first.
  function person(decision) {
    return [decision.by, ...decision.among].find((seat) => seat !== null && isPerson(seat)) ?? null;
  }
  // The numbers of an option of chance, if they are dice.
  function rolled(text) {
    const numbers = text.match(/\((\d(?:, \d)*)\)$/)?.[1].split(", ").map(Number) ?? [];
    return numbers.every((number) => number >= 1 && number <= 6) ? numbers : [];
  }
  // Each move is kept as each seat sees it, and as all do (null): who sits where may change.
  const viewers = secretive ? [null, ...seats] : [undefined];
  function take(option) {
    const { together, name } = game.decision;
    const told = new Map(viewers.map((seat) => {
      const { text, values } = game.seen(option, seat), roll = option.by === null ? rolled(text) : [];
      return [seat, { text: game.told(option, seat), roll, ways: game.ways(option, values) }];
    }));
    const again = moves.some((move) => move.waits === name && move.by === option.by);
    if (again) disclose();
    game.apply(option);
    moves.push({ told, option, by: option.by, waits: together ? name : "" });
    if (!together || game.decision?.name !== name) disclose();
  }
  function disclose() {
    for (const [number, move] of moves.entries()) if (move.waits) [move.waits, sent] = ["", Math.min(sent, number)];
  }
  function shownMove(move, seat) {
    const { text, roll, ways } = move.told.get(secretive ? seat : undefined);
    const waits = move.waits && move.by !== seat;
    return { text: waits ? `${game.seatName(move.by)}: ${words.table_ready}` : text, by: move.by, changes: [], roll, ways: waits ? [] : ways };
  }

  async function go(whole = false) {
    const run = ++running;
    let shown = whole ? -Infinity : performance.now();
    const show = () => {
      frame(whole);
      [whole, shown] = [false, performance.now()];
    };
    try {
      while (game.decision) {
        const { by, together } = game.decision;
        if (by === null) take(game.drawn());
        else if (person(game.decision)) break;
        else {
          thinking = by;
          if (performance.now() - shown > SHOWN_EVERY) show();
          const bot = together || secretive ? "random" : kinds[by];  // a bot must not see what its seat does not
          const pick = await thought(bot, by);
          if (run !== running) return;
          take(game.options()[pick]);
        }
      }
    } catch (error) {
      fault = true;
      console.error(error);
    }
    thinking = "";
    show();
  }

  function hear(message) {
    element("refused").textContent = "";
    if (message.do === "take") {
      const option = offered[Number(message.option)];
      if (!option || message.serial < turn) return;
      turn = serial + 1;
      undone = [];
      try {
        if (option.name === "withdraw" && game.planned) for (let left = game.planned; left > 0; left--) back();
        else take(option);
      } catch {
        page.refused({ text: words.table_fault, values: {}, stale: false });
        return;
      }
      go();
    } else if (message.do === "undo") {
      running++;
      [fault, undone] = [false, []];
      let by = null;
      do {
        undone.unshift(moves.at(-1).option);
        by = back();
      } while (game.taken.length && (message.to >= 0 ? game.taken.length > message.to : by === null || !isPerson(by)));
      go();
    } else if (message.do === "redo") {
      running++;
      for (const option of undone) take(option);
      undone = [];
      go();
    } else if (message.do === "preview") {
      const option = offered[Number(message.option)];
      page.preview({ option: message.option, ...(option && message.serial >= turn ? preview(option) : {}) });
    } else if (message.do === "why") page.preview({ place: message.place });
    else if (message.do === "hint") hint();
    else if (message.do === "log") page.log(game.log(names, lines.written(game.taken)));
  }
  // What a bot would choose; where all choose at the same time, none is asked: it would see what is chosen already.
  async function hint() {
    const run = running, bot = BOTS.at(-1), { by, together } = game.decision;
    const pick = together ? null : await thought(bot, by);
    if (run === running) page.hint({ bot, best: pick === null ? [] : [[String(pick), null]], stakes: 0 });
  }
  function back() {
    const { by } = game.taken.at(-1);
    game.undo();
    moves.pop();
    sent = Math.min(sent, moves.length);
    return by;
  }

  // --- what the page gets
  const viewer = () => (game.decision && person(game.decision)) ?? seats.find(isPerson) ?? null;
  function frame(whole) {
    const seat = viewer(), before = serial, { decision } = game;
    hello.seat = seat;
    serial++;
    const now = decision && person(decision);
    offered = now && !fault ? [...game.options().map((o) => ({ ...o, by: now })), ...game.options(true).filter(({ by }) => isPerson(by))] : [];
    const waits = decision && (now ?? decision.by);
    const several = seats.filter(isPerson).length > 1;
    const { result } = game, texts = {}, sight = secretive ? seat : undefined;
    const waiting = moves.findIndex((move) => move.waits);  // whose choice is shown depends on who looks
    for (let number = whole ? 0 : sent; number < moves.length; number++) texts[number] = shownMove(moves[number], seat);
    sent = waiting < 0 ? moves.length : waiting;
    page.frame({
      serial, turn, since: whole ? 0 : before, state: { ...game.state(sight, true), counts: game.counts() }, moves: { count: moves.length, texts },
      seats: seats.map((id) => ({ id, name: names[id], kind: isPerson(id) ? "person" : "bot", bot: kinds[id], stand_in: false })),
      asked: decision && game.as(sight, () => ({
        decision: decision.name, together: decision.together, chance: decision.by === null, doc: "", who: game.subject(), actor: game.actor(), about: game.entities(),
        text: thinking ? words.local_thinks.replace("{seat}", game.seatName(thinking)) : game.question(), several,
        waiting: waits ? { [waits]: Math.floor(Date.now() / 1000) } : {},
      })),
      options: offered.map((option, number) => ({
        text: String(number), name: option.name, out_of_turn: option.interrupt,
        words: game.as(sight, () => (option.interrupt && several ? game.sentence(option) : game.choice(option))),
        named: game.as(sight, () => (option.interrupt ? [] : game.entities(option))),
        arguments: game.parts(option), ways: game.ways(option),
      })),
      chosen: null, ready: [], undo: null, free: moves.length, redo: undone.length, deadline: 0, here: seats.filter(isPerson), fault,
      result: result && { ...result, ending: game.texts.endings[result.ending] ?? result.ending },
    });
    element("keep_line").hidden = !undone.length;
    const kept = lines.texts(game.taken);
    element("kept").hidden = !kept.length;
    element("kept").querySelector("summary").textContent = `${words.local_variations} (${kept.length})`;
    element("kept").querySelector("ul").replaceChildren(...kept.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    element("back").disabled = !game.taken.some(({ by }) => by !== null && isPerson(by));
  }

  const entities = Object.entries(game.texts.titles).flatMap(([kind, titles]) => titles.map((title, i) => [`${kind}.${game.names.kinds[kind][i]}`, title]));
  const hello = {
    game: game.texts.game, rules: game.names.ruleset, version: data.version, settings: game.names.settings, changed: data.changed,
    language: game.texts.language, seat: null, seats, player: game.texts.player, board, plan, values, words, bots: [], now: Date.now() / 1000,
    about: words.local_about, asks: secretive ? [] : ["preview", "hint"], adviser: BOTS.at(-1), helps,
    titles: Object.fromEntries(entities),
    names: Object.fromEntries(game.texts.decisions.flatMap(({ options }) => Object.entries(options).map(([name, { title }]) => [name, title]).filter(([name, title]) => title !== name.replace(/_/g, " ")))),
  };
  const preview = makeLocalPreview(game, plan), page = makeTable(hello, hear);

  // --- players, logs, links
  function begin(log) {
    running++;
    [fault, moves, sent, undone] = [false, [], 0, []];
    lines.clear();
    game.seed(seed, 0);
    let wrong = "";
    if (log === undefined) game.start();
    else {
      try {
        names = game.load(log, take, back, (line, naming) => lines.read(line, game.taken, naming));
      } catch (error) {
        wrong = words.local_wrong.replace("{reason}", () => error.message);
      }
      if (wrong && !game.taken.length) game.start();
    }
    notice(wrong);
    showPlayers();
    go(true);
  }

  function showPlayers() {
    element("seed").value = String(seed);
    element("players").replaceChildren(...seats.map((seat) => {
      const label = document.createElement("label"), id = document.createElement("b");
      const name = document.createElement("input"), kind = document.createElement("select");
      id.textContent = seat;
      name.value = names[seat];
      name.maxLength = 40;
      name.setAttribute("aria-label", `${words.table_name}: ${seat}`);
      name.addEventListener("input", () => {
        names[seat] = name.value.trim() || seat;
        game.rename(names);
        go();
      });
      kind.setAttribute("aria-label", `${words.local_players}: ${seat}`);
      for (const each of ["person", ...(secretive ? ["random"] : BOTS)]) kind.add(new Option(each === "person" ? words.local_player : each, each));
      kind.value = kinds[seat];
      kind.addEventListener("change", () => {
        kinds[seat] = kind.value;
        if (secretive && isPerson(seat)) for (const other of seats) if (other !== seat) kinds[other] = "random";
        sent = 0;
        showPlayers();
        go();
      });
      label.append(id, name, kind);
      return label;
    }));
  }

  element("secrets").hidden = !secretive;
  element("setup").addEventListener("submit", (event) => {
    event.preventDefault();
    const typed = element("seed").value.trim();
    seed = /^\d{1,18}$/.test(typed) && BigInt(typed) !== seed ? BigInt(typed) : random();
    begin();
  });
  element("load").addEventListener("change", async () => {
    const [file] = element("load").files;
    element("load").value = "";
    if (!file) return;
    if (file.size > MAX_LOG) notice(words.local_wrong.replace("{reason}", `${file.size} bytes`));
    else begin(await file.text());
  });
  element("keep_line").addEventListener("click", () => {
    lines.keep(game.taken, undone.map(({ decision, by, text }) => ({ decision, by, option: text })));
    undone = [];
    frame(false);
  });
  element("link").addEventListener("click", async () => {
    const stream = new Blob([game.log(names, lines.written(game.taken))]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const packed = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
    history.replaceState(null, "", `#log=${text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`);
    element("address").value = location.href;
    element("linked").hidden = false;
    element("address").select();
  });
  // The log of the address; undefined without one.
  async function linked() {
    const [, text] = /^#log=([\w-]{1,1000000})$/.exec(location.hash) ?? [];
    if (text === undefined) return undefined;
    try {
      return new TextDecoder().decode(await unpacked(fromBase64(text.replace(/-/g, "+").replace(/_/g, "/")), "deflate-raw", MAX_LOG));
    } catch {
      return "";
    }
  }
  addEventListener("hashchange", async () => begin(await linked()));

  function random() {
    return crypto.getRandomValues(new BigUint64Array(1))[0] >> 10n;
  }
  function fromBase64(text) {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  }
  // Unpacks until there is more than may be.
  async function unpacked(packed, form, most) {
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream(form)).getReader(), parts = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
      if (size > most) {
        await reader.cancel();
        throw new Error("it is too large");
      }
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  seed = random();
  const first = await linked();
  begin(first);
})();
