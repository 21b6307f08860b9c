// A game of a module that `rulespec export REF --players N --wasm FILE` has written: state, options, apply, undo, words,
// points, logs, playouts.
//
//   const game = await WasmGame.load(bytes);
//   game.start();
//   for (const option of game.options()) console.log(option.text, game.sentence(option));
//   game.apply(game.options()[0]);
//   game.undo();
//   game.seed(1, 0);                // game 0 of `rulespec simulate --seed 1`
//   game.playout(5000);             // "over", "capped" or "stuck"

const ENDS = ["over", "capped", "stuck", "broken", "paused"];
const STEPS = 2 ** 53;
const NO_NUMBER = -(10n ** 15n) - 1n;
const UNKNOWN = "?";
const SEVERAL = ["set", "order", "bag", "path"];
const MAX_SHOWN = 2000, MAX_DEPTH = 4, MAX_LINES = 200000;

export class WasmGame {
  /** Loads a module; it imports nothing. */
  static async load(bytes) {
    const module = await WebAssembly.compile(bytes);
    const [section] = WebAssembly.Module.customSections(module, "rulespec");
    const names = JSON.parse(new TextDecoder().decode(section));
    return new WasmGame(await WebAssembly.instantiate(module, {}), names);
  }

  constructor(instance, names) {
    this.exports = instance.exports;
    this.names = names;
    this.registers = names.registers;
    this.numbers = new BigInt64Array(this.exports.memory.buffer);
    this.before = [];  // for each decision, the former values of the cells that it has changed
    this.plans = [];
    this.taken = [];
    this.texts = names.texts;
    this.unseen = new Set();  // the cells that whoever is told something does not see
    this.exports.reset();
    this.interruptRate(1 / 50);
  }

  /** How likely an option out of turn is in a playout, where one is legal. */
  interruptRate(rate) {
    this.write("RATE", BigInt(Math.ceil(rate * STEPS)));
  }

  read(register) {
    return this.numbers[this.registers[register] / 8];
  }

  write(register, value) {
    this.numbers[this.registers[register] / 8] = BigInt(value);
  }

  /** Goes back to the start of the rules, and to the first decision. */
  start() {
    this.before = [];
    this.plans = [];
    this.taken = [];
    this.exports.reset();
    this.write("LEFT", this.registers.STEPS);
    this.exports.run(BigInt(this.names.main));
    this.changed();
  }

  /** Lets playouts draw as game number `game` of a seed. */
  seed(seed, game = 0) {
    this.exports.seed(BigInt.asIntN(64, BigInt(seed)), BigInt(game));
  }

  /** The values of all cells of the rules, as BigInt: sets have a bit for each member. */
  cells() {
    return this.names.cells.map((cell) => {
      let value = this.numbers[cell.at / 8];
      if (cell.words > 1 || /^(set|order|bag|path) /.test(cell.type)) value = BigInt.asUintN(64, value);
      for (let word = 1; word < cell.words; word++) {
        value += BigInt.asUintN(64, this.numbers[cell.at / 8 + word]) << BigInt(64 * word);
      }
      return value;
    });
  }

  /** The number of the open decision; -1 when the game is over. */
  get asked() {
    return this.names.asked[Number(this.numbers[this.registers.STATE / 8])];
  }

  /**
   * The open decision: its name, the seat that takes it (null: chance), the seats any of which may (`among`), and whether
   * others choose at the same time (`together`); null when the game is over.
   */
  get decision() {
    if (this.asked < 0) return null;
    const by = Number(this.exports.who(BigInt(this.asked)));
    const among = this.names.among[this.asked];
    return {
      name: this.names.decisions[this.asked],
      by: by < 0 ? null : this.names.seats[by],
      among: among < 0 ? [] : this.names.seats.filter((_, seat) => this.aside(among, []) >> BigInt(seat) & 1n),
      together: this.names.together[this.asked],
    };
  }

  /** The legal options of the decider; with `interrupts` those of others. */
  options(interrupts = false) {
    if (this.asked < 0) return [];
    this.write("OPTIONS", this.registers.OPTIONS_BASE);
    this.tried(() => (interrupts ? this.exports.others : this.exports.own)(BigInt(this.asked)));
    const found = [];
    const end = Number(this.read("OPTIONS"));
    for (let at = this.registers.OPTIONS_BASE; at < end; at += this.registers.STRIDE) {
      const row = this.numbers.slice(at / 8, (at + this.registers.STRIDE) / 8);
      const option = this.names.options[Number(row[0])];
      const args = this.values(option.params, row).map((value, i) => this.shown(option.params[i].type, value));
      const text = args.length ? `${option.name}(${args.map((arg, i) => this.written(arg, option.params[i].type)).join(", ")})` : option.name;
      const by = row[1] < 0n ? this.decision.by : this.names.seats[Number(row[1])];
      found.push({ decision: this.names.decisions[this.asked], name: option.name, args, text, by, params: option.params, interrupt: option.interrupt, row });
    }
    return found;
  }

  /** The values of the arguments in a row of the buffer: large sets and bags, and paths, take several of its numbers. */
  values(params, row) {
    let at = 2;
    return params.map(({ type, words }) => {
      let value = row[at++];
      if (/^(set|bag|path) /.test(type)) value = BigInt.asUintN(64, value);
      for (let word = 1; word < words; word++) value += BigInt.asUintN(64, row[at++]) << BigInt(64 * word);
      return value;
    });
  }

  /** A value as options have it in their text. */
  written(value, type) {
    if (type.startsWith("path ")) return `[${value.join(", ")}]`;
    if (Array.isArray(value)) return `{${value.join(", ")}}`;
    if (value === null || typeof value !== "object") return value ?? "none";
    return `{${Object.entries(value).map(([name, number]) => (number === 1 ? name : `${number} ${name}`)).join(", ")}}`;
  }

  /** The arguments of an option one by one, as {kind, id}: each member of a set, each piece of a bag, each stop of a path. */
  parts({ params, args }) {
    return params.flatMap(({ type }, i) => {
      const [form, kind] = type.split(" "), value = args[i];
      if (!kind) return [{ kind: type.replace(/\?$/, ""), id: String(value ?? "none") }];
      return form !== "bag" ? value.map((id) => ({ kind, id })) : Object.entries(value).flatMap(([id, number]) => Array(number).fill({ kind, id }));
    });
  }

  /** The paths among the arguments of an option, each as its stops, `kind.id`; without those that are not `seen`. */
  ways({ params, args }, seen = args) {
    const paths = params.flatMap(({ type }, i) => (type.startsWith("path ") && seen[i] !== undefined ? [[type.slice(5), args[i]]] : []));
    return paths.map(([kind, stops]) => stops.map((id) => `${kind}.${id}`));
  }

  /** The numbers of the entities in a bag, each with how many pieces. */
  pieces(value) {
    const result = [];
    for (let entity = 0; value > 0n; entity++, value >>= 8n) if (value & 255n) result.push([entity, Number(value & 255n)]);
    return result;
  }

  /** The numbers of the stops of a path, in their order. */
  stops(kind, value) {
    const result = [], bits = this.names.kinds[kind].length > 255 ? 16n : 8n, all = (1n << bits) - 1n;
    for (; value > 0n; value >>= bits) result.push(Number(value & all) - 1);
    return result;
  }

  shown(type, value) {
    const kind = this.names.kinds[type.replace(/\?$/, "")];
    if (kind) return value < 0n ? null : kind[Number(value)];
    if (type === "bool") return value !== 0n;
    if (type.startsWith("set ")) return this.members(value).map((member) => this.names.kinds[type.slice(4)][member]);
    if (type.startsWith("bag ")) return Object.fromEntries(this.pieces(value).map(([entity, number]) => [this.names.kinds[type.slice(4)][entity], number]));
    if (type.startsWith("path ")) return this.stops(type.slice(5), value).map((stop) => this.names.kinds[type.slice(5)][stop]);
    if (type.startsWith("order ")) return this.inOrder(type.slice(6), value).map((member) => this.names.kinds[type.slice(6)][member]);
    return type === "int?" && value === NO_NUMBER ? null : Number(value);
  }

  /** The numbers of the members of a set. */
  members(value) {
    const result = [];
    for (let member = 0; value > 0n; member++, value >>= 1n) if (value & 1n) result.push(member);
    return result;
  }

  /** The bits of a member of an order: 0 ends it. */
  memberBits(kind) {
    return this.names.kinds[kind].length.toString(2).length;
  }

  /** The 64-bit words of a value of a type of the texts. */
  wordsOf([form, of]) {
    if (form !== "set" && form !== "order") return 1;
    const members = this.names.kinds[of].length;
    return Math.max(1, Math.ceil((form === "set" ? members : members * this.memberBits(of)) / 64));
  }

  /** The numbers of the members of an order, the first one first. */
  inOrder(kind, value) {
    const bits = BigInt(this.memberBits(kind)), result = [];
    for (; value > 0n; value >>= bits) result.push(Number(value & (1n << bits) - 1n) - 1);
    return result;
  }

  /** The state in the form of `rulespec replay --format json`, as a seat sees it (null: as all do); left out: all of it.
   *  Fields that are not seen are null there, or absent. */
  state(seat, absent = false) {
    const cells = this.cells(), entities = {}, pieces = {}, unseen = this.hidden(seat), hidden = (at) => unseen.has(at);
    for (const at of this.names.declared) {
      const { group, owner, name, type, place } = this.names.cells[at];
      if (group === "pieces") {
        if (cells[at] && !hidden(at)) ((pieces[name] ??= {})[owner] ??= {})[place] = Number(cells[at]);
      } else {
        const fields = (entities[group] ??= {})[owner] ??= {};
        if (!hidden(at)) fields[name] = this.shown(type, cells[at]);
        else if (!absent) fields[name] = null;
      }
    }
    return { entities, pieces };
  }

  /** The public numbers of private things, by their names in views. */
  counts() {
    const cells = this.cells(), number = (at, place) => {
      const [form, of] = this.names.cells[at].type.split(" ");
      if (place >= 0) return Number(Number(cells[at]) === place);
      return form === "order" ? this.inOrder(of, cells[at]).length : Number(cells[at]);
    };
    return Object.fromEntries(this.names.counts.map(({ name, cells: of, place }) => [name, of.reduce((sum, at) => sum + number(at, place), 0)]));
  }

  // The cells that a seat does not see; null: those that not all see; undefined: none.
  hidden(seat) {
    if (seat === undefined || !this.secretive) return new Set();
    const hidden = new Set(this.names.notes), first = this.registers.UNSEEN / 8;
    for (const each of seat === null ? this.names.seats : [seat]) {
      this.exports.seen_by(BigInt(this.names.seats.indexOf(each)));
      for (const at of this.names.private) if (this.numbers[first + at] !== 0n) hidden.add(at);
    }
    return hidden;
  }

  /** Whether there is anything that not everybody sees; choices of a round that is open aside. */
  get secretive() {
    return this.names.private.length > 0 || this.names.options.some(({ params }) => params.some((each) => each.private));
  }

  /**
   * A legal option as a seat will see that it was taken (null: as all will): its text, and the values of its arguments,
   * undefined where the seat does not see them.
   */
  seen(option, seat) {
    const { seats } = this.names, set = (each) => (each === null ? 0n : 1n << this.seatNumber(each));
    const wanted = seat === undefined ? 0n : seat === null ? (1n << BigInt(seats.length)) - 1n : set(seat);
    const all = this.values(option.params, option.row);
    const values = option.params.map((param, i) => {
      if (!param.private) return all[i];
      const to = param.to < 0 ? 0n : this.aside(param.to, all.slice(0, i + 1), Math.ceil(seats.length / 64));
      return ((set(option.by) | to) & wanted) === wanted ? all[i] : undefined;
    });
    const shown = values.map((value, i) => (value === undefined ? UNKNOWN : this.written(option.args[i], option.params[i].type)));
    return { text: shown.length ? `${option.name}(${shown.join(", ")})` : option.name, values };
  }

  /** Takes an option that `options` has listed here. */
  apply(option) {
    this.numbers.set(option.row, this.registers.OPTIONS_BASE / 8);
    const plan = this.names.drafts[this.asked] ? this.planned + 1 : 0;
    this.tried(() => this.exports.take(BigInt(this.registers.OPTIONS_BASE)));
    this.before.push(this.changed());
    this.plans.push(plan);
    this.taken.push({ decision: option.decision, by: option.by, option: option.text });
  }

  /** The legal option of a text such as `take(two, 2)`, for a seat if it is said; null if there is none. */
  find(text, by) {
    const spaced = text.replace(/\s*([(,)])\s*/g, (_, sign) => (sign === "," ? ", " : sign)).trim();
    const wanted = (option) => option.text === spaced && (by === undefined || by === option.by || this.decision.among.includes(by));
    return this.options().find(wanted) || this.options(true).find(wanted) || null;
  }

  /** The former values of the cells in the journal, as pairs of address and value. It is emptied: a long game would fill it. */
  changed() {
    const { JOURNAL_BASE } = this.registers, end = Number(this.read("JOURNAL")) / 8, result = new Map();
    for (let at = JOURNAL_BASE / 8; at < end; at += 3) {
      if (!result.has(this.numbers[at])) result.set(this.numbers[at], this.numbers[at + 1]);
    }
    this.write("JOURNAL", JOURNAL_BASE);
    return [...result];
  }

  /** Takes the last decision back. */
  undo() {
    if (!this.before.length) throw new Error("there is no decision to take back");
    for (const [at, value] of this.before.pop()) this.numbers[Number(at) / 8] = value;
    this.write("IDLE_SIZE", 0);
    this.plans.pop();
    this.taken.pop();
  }

  /** The number of the last decisions that belong to the open plan of a draft. */
  get planned() {
    const draft = this.names.drafts[this.asked];
    return draft && this.cells()[draft] !== 0n ? this.plans.at(-1) ?? 0 : 0;
  }

  // The decisions that have not been withdrawn.
  standing() {
    const result = [];
    for (const [number, one] of this.taken.entries()) {
      if (one.option === "withdraw" && this.plans[number]) result.length -= this.plans[number] - 1;
      else result.push(one);
    }
    return result;
  }

  /** A random option of the open decision, as playouts take it: by the seed, and the number of the decision. */
  drawn() {
    const rate = this.read("RATE");
    this.write("RATE", 0);
    this.write("IDLE_SIZE", 0);
    this.write("PLY", this.taken.length);
    const at = Number(this.tried(() => this.exports.choose())) / 8;
    this.write("RATE", rate);
    const row = this.numbers.slice(at, at + this.registers.STRIDE / 8);
    return this.options().find((option) => option.row.every((number, i) => number === row[i]));
  }

  /** Plays random decisions to the end or so many; what was before cannot be taken back. */
  playout(cap = 5000) {
    this.before = [];
    this.plans = [];
    this.taken = [];
    this.write("PLY", 0);
    for (;;) {
      this.write("BUDGET", 300000000);
      const how = ENDS[Number(this.tried(() => this.exports.play(BigInt(cap), 0n)))];
      if (how !== "paused") return how;
    }
  }

  /** The number of decisions of the last playout. */
  get ply() {
    return Number(this.read("PLY"));
  }

  /** The name of the ending; null while the game goes on. */
  get ending() {
    const ending = Number(this.numbers[this.registers.STATE / 8 + 1]);
    return ending ? this.names.endings[ending - 1] : null;
  }

  /** What ranks each seat: its points first, then what breaks ties; null without scoring. */
  ranks() {
    if (!this.names.ties) return null;
    this.tried(() => this.exports.ranks(BigInt(this.registers.RESULTS)));
    return this.ranksAt(this.registers.RESULTS / 8);
  }

  ranksAt(at) {
    const { ties, most, seats } = this.names;
    return seats.map(() => {
      const rank = [Number(this.numbers[at++])];
      for (const many of ties) {
        const count = many ? Number(this.numbers[at++]) : 1;
        for (let i = 0; i < count; i++) rank.push(Number(this.numbers[at + i]));
        at += many ? most : 1;
      }
      return rank;
    });
  }

  /** The points of each seat as they stand; empty without scoring. */
  scores() {
    return Object.fromEntries((this.ranks() || []).map((rank, seat) => [this.names.seats[seat], rank[0]]));
  }

  /** Ending, points and winners; null while the game goes on. */
  get result() {
    if (this.ending === null) return null;
    const { seats } = this.names, won = this.numbers[this.registers.STATE / 8 + 2];
    const winners = this.winners(true, won, this.ranks()).map((seat) => seats[seat]);
    return { ending: this.ending, scores: this.scores(), winners };
  }

  // --- logs

  /** The log of the decisions that stand, line by line; `seats` are ids with names, `notes` lines that come last. */
  log(seats = Object.fromEntries(this.names.seats.map((seat) => [seat, seat])), notes = []) {
    const { rulespec, language, ruleset, ruleset_hash, sources_hash, settings } = this.names;
    const header = { rulespec_log: 2, rulespec, language, ruleset, ruleset_hash, sources_hash, seats, settings };
    return [header, ...this.standing(), ...notes].map((line) => `${JSON.stringify(line)}\n`).join("");
  }

  /**
   * Plays the decisions of a log; returns the names of its seats. What is wrong with it is an error with its line: then
   * the game stands where the log broke off. `take` and `back` are called for each decision, and each that is taken back,
   * `note` for a line with variations, with the ids of seats here by those in the log, and a function for options.
   */
  load(text, take = (option) => this.apply(option), back = () => this.undo(), note = () => {}) {
    const lines = text.split("\n", MAX_LINES).map((line) => line.trim());
    const read = (number) => {
      try {
        return JSON.parse(lines[number]);
      } catch {
        throw new Error(`line ${number + 1}: it is not JSON`);
      }
    };
    const header = read(0) ?? {}, { seats } = this.names;
    if (![1, 2].includes(header.rulespec_log)) throw new Error("line 1: this is not a Rulespec log");
    if (header.ruleset_hash !== this.names.ruleset_hash) throw new Error("line 1: the game has other rules");
    const differs = Object.entries(this.names.settings).some(([name, value]) => header.settings?.[name] !== value);
    if (differs) throw new Error("line 1: the game has other settings");
    const named = Array.isArray(header.seats) ? Object.fromEntries(header.seats.map((name) => [name, name])) : header.seats ?? {};
    const ids = Object.keys(named);
    if (ids.length !== seats.length) throw new Error(`line 1: ${ids.length} seats, but this page has ${seats.length}`);
    const own = new Map(ids.map((id, at) => [id, seats[at]]));
    const renamed = (option) => option.replace(/[^(),]+/g, (part) => (own.has(part.trim()) ? part.replace(part.trim(), own.get(part.trim())) : part));
    const names = Object.fromEntries(ids.map((id, at) => [seats[at], String(named[id])]));
    if (this.texts) this.rename(names);
    this.start();
    for (let number = 1; number < lines.length; number++) {
      if (!lines[number]) continue;
      const line = read(number) ?? {};
      if (line.variations !== undefined) {
        try {
          note(line, { own, text: renamed });
        } catch (error) {
          throw new Error(`line ${number + 1}: ${error.message}`, { cause: error });
        }
      }
      if (line.undo !== undefined) {
        if (line.keep || line.set) throw new Error(`line ${number + 1}: this page cannot keep or set fields when decisions are taken back`);
        for (let left = Number(line.undo); left > 0; left--) back();
      } else if (line.decision !== undefined) {
        const by = line.by === null ? null : own.get(line.by);
        const option = this.decision && this.find(String(line.option), by) || this.decision && this.find(renamed(String(line.option)), by);
        if (!option) throw new Error(`line ${number + 1}: ${line.option} is not legal`);
        take(option);
      }
    }
    return names;
  }

  // --- words: as `rulespec.engine.words.narrator` fills them

  /** A function of the module: an expression that no rule asks for. Large sets and orders have several words. */
  aside(number, values, words = 1) {
    const numbers = values.map((value) => BigInt.asIntN(64, value));
    const ask = (word) => this.exports[`aside${number}`](...numbers, BigInt(word));
    return this.tried(() => {
      if (words < 2) return ask(0);
      return Array.from({ length: words }, (_, word) => BigInt.asUintN(64, ask(word)) << BigInt(64 * word)).reduce((a, b) => a | b);
    });
  }

  /** The words that `say` makes for a seat (null: for all): what it does not see, and what depends on that, has a word. */
  as(seat, say) {
    const before = this.unseen;
    this.unseen = this.hidden(seat);
    try {
      return say();
    } finally {
      this.unseen = before;
    }
  }

  /** An option that is about to be taken as a sentence for a seat (null: for all). */
  told(option, seat) {
    return this.as(seat, () => this.sentence({ ...option, values: this.seen(option, seat).values }));
  }

  /** An option as it is offered to who decides. */
  choice(option) {
    const { text, choice } = this.texts.decisions[this.asked].options[option.name];
    return this.words(option, choice ?? text);
  }

  /** What an option does, in words, without who takes it. */
  words(option, said) {
    const { title, params, text: usual } = this.texts.decisions[this.asked].options[option.name], text = said ?? usual;
    const args = option.values ?? this.values(option.params, option.row);
    if (text) return this.filled(text, this.sources(option.by, args));
    const isHidden = args.length > 1 && args.every((each) => each === undefined);
    const all = params.map((type, i) => [type, args[i]]), some = all.filter(([[form], value]) => value !== 0n || !SEVERAL.includes(form));
    const told = some.length ? some : all.slice(0, 1);
    const shown = isHidden ? this.texts.words.hidden_value : told.map(([type, value]) => this.show(type, value, 0).text).join(", ");
    return shown ? `${title}: ${shown}` : title;
  }

  /** An option as a sentence: who takes it, and what it does. */
  sentence(option) {
    const note = this.words(option), { text } = this.texts.decisions[this.asked].options[option.name];
    if (text && (option.by === null || text.who)) return note;
    return text ? `${this.subject(option.by, option.interrupt)} ${note}` : `${this.subject(option.by, option.interrupt)}: ${note}`;
  }

  /** The subject of the open decision. */
  question() {
    const { title, text } = this.texts.decisions[this.asked];
    return text ? this.filled(text, this.sources(this.decision.by, [])) : title;
  }

  /** The entities that the text of an option names beside its arguments, as `kind.id`; without one, of the decision. */
  entities(option) {
    const { text, options } = this.texts.decisions[this.asked], said = option ? options[option.name].text : text;
    if (!said) return [];
    const source = this.sources(option ? option.by : this.decision.by, option ? option.row.slice(2) : []);
    const values = said.values.map((each) => ({ value: source(each), type: each.type })), results = new Set();
    for (const part of said.parts.flatMap((each) => each.parts ?? [each])) {
      const own = said.values[part.value], { type } = own ?? part;
      if (typeof part === "string" || type[0] !== "entity" || ["argument", "decider", "actor"].includes(own?.get)) continue;
      const value = own ? values[part.value].value : this.value(part, values);
      if ((value ?? -1n) < 0n) continue;
      results.add(`${type[1]}.${this.names.kinds[type[1]][Number(value)]}`);
    }
    return [...results];
  }

  /** The entity for which the seat of the open decision acts; "" if it acts for itself. */
  actor() {
    const { actor } = this.texts.decisions[this.asked], { by } = this.decision;
    const value = actor && by !== null ? this.acting(actor, this.seatNumber(by)) : null;
    if ((value ?? -1n) < 0n || actor.type[1] === this.texts.player) return "";
    return `${actor.type[1]}.${this.names.kinds[actor.type[1]][Number(value)]}`;
  }

  /** Who acts: the name of the seat, and before it what it acts for. */
  subject(by = this.decision.by, interrupt = false) {
    if (by === null) return this.texts.words.chance;
    const { actor } = this.texts.decisions[this.asked], seat = this.seatName(by);
    const value = actor && !interrupt ? this.acting(actor, this.seatNumber(by)) : null;
    const shown = value === null || value === undefined ? null : this.show(actor.type, value, 0).text;
    return shown === null || shown === seat ? seat : `${shown} (${seat})`;
  }

  /** The name of a seat; `rename` gives another. */
  seatName(seat) {
    return this.texts.titles[this.texts.player][this.names.seats.indexOf(seat)];
  }

  rename(seats) {
    const { titles, player } = this.texts;
    titles[player] = this.names.seats.map((seat) => seats[seat] ?? seat);
  }

  seatNumber(by) {
    return BigInt(by === null ? -1 : this.names.seats.indexOf(by));
  }

  acting(actor, seat) {
    const values = actor.values.map((source) => (source.get === "decider" ? seat : this.known(source)));
    try {
      const value = this.value(actor, values.map((value, i) => ({ value, type: actor.forms[i] })));
      return value === null || value < 0n ? null : value;
    } catch {
      return null;
    }
  }

  known(source) {
    if (this.isUnseen(source, [])) return undefined;
    try {
      return this.aside(source.aside, []);
    } catch {
      return undefined;
    }
  }

  // Where the values of a text come from; undefined is what is not known.
  sources(by, args) {
    const seat = this.seatNumber(by), { actor } = this.texts.decisions[this.asked];
    return (source) => {
      if (source.get === "argument") return args[source.at];
      if (source.get === "decider") return seat;
      if (source.get === "known") return this.known(source);
      const value = actor && by !== null ? this.acting(actor, seat) : null;
      return value === null ? seat : value;
    };
  }

  filled(text, source, depth = 0) {
    const values = text.values.map((each) => ({ value: source(each), type: each.type }));
    let parts = text.parts;
    if (text.one) {
      try {
        if (this.value(text.count, values) === 1n) parts = text.one;
      } catch {
        parts = text.parts;
      }
    }
    const hole = (part) => {
      if (typeof part === "string") return { text: part };
      if (part.value !== undefined) return this.show(values[part.value].type, values[part.value].value, depth);
      const value = this.value(part, values);
      return value === null ? { text: this.texts.words.none, nothing: true } : this.show(part.type, value, depth);
    };
    const put = parts.map((part) => {
      if (!part.parts) return hole(part).text;
      const inner = part.parts.map(hole);
      return inner.some((each) => each.nothing) ? "" : inner.map((each) => each.text).join("");
    });
    return put.join("").slice(0, MAX_SHOWN);
  }

  // Whether an expression over values reads what is not seen.
  isUnseen({ guard = [] }, values) {
    return this.unseen.size > 0 && guard.some((each) => this.unseen.has(Array.isArray(each) ? each[0] + Number(this.aside(each[1], values)) : each));
  }

  // The value of an expression: null where something is none that it reads, or it has none, undefined where it is not seen.
  value(expression, values) {
    const { aside, read, solid, type } = expression;
    if (read.some((i) => values[i].value === undefined)) return undefined;
    if (solid.some((i) => values[i].value === (values[i].type[0] === "number?" ? NO_NUMBER : -1n))) return null;
    if (this.isUnseen(expression, values.map(({ value }) => value ?? 0n))) return undefined;
    try {
      return this.aside(aside, values.map(({ value }) => value ?? 0n), this.wordsOf(type));
    } catch {
      return null;
    }
  }

  show([form, of], value, depth) {
    const { words, hidden } = this.texts, none = { text: words.none, nothing: true };
    if (value === undefined) return { text: form === "entity" ? hidden[of] : form.startsWith("number") ? words.hidden_number : words.hidden_value, nothing: true };
    if (form === "bool") return { text: value ? words.yes : words.no, nothing: !value };
    if (form === "entity") return value < 0n ? none : { text: this.entity(of, Number(value), depth), nothing: false };
    if (form === "set" || form === "order") {
      const whole = BigInt.asUintN(64 * this.wordsOf([form, of]), value);
      const members = form === "set" ? this.members(whole) : this.inOrder(of, whole);
      return members.length ? { text: members.map((member) => this.entity(of, member, depth)).join(", "), nothing: false } : none;
    }
    if (form === "bag") {
      const lots = this.pieces(BigInt.asUintN(64, value)).map(([entity, number]) => `${number === 1 ? "" : `${number} `}${this.entity(of, entity, depth)}`);
      return lots.length ? { text: lots.join(", "), nothing: false } : none;
    }
    if (form === "path") return { text: this.stops(of, value).map((stop) => this.entity(of, stop, depth)).join(", "), nothing: !value };
    if (form === "number?" && value === NO_NUMBER) return none;
    const unit = this.texts.units[of];
    const parts = unit && (unit.one && value === 1n ? unit.one : unit.other);
    return { text: parts ? parts.map((part) => part ?? String(value)).join("") : String(value), nothing: !value };
  }

  entity(kind, number, depth) {
    const text = this.texts.each[kind];
    if (!text || depth >= MAX_DEPTH || text.own.includes(number)) return this.texts.titles[kind][number];
    return this.filled(text, () => BigInt(number), depth + 1);
  }

  // --- many positions

  /** Room for so many numbers in the memory; its address. */
  room(numbers) {
    const at = this.exports.memory.buffer.byteLength;
    this.exports.memory.grow(Math.ceil(8 * numbers / 65536));
    this.numbers = new BigInt64Array(this.exports.memory.buffer);
    return at;
  }

  /** Writes the position into a row of numbers at an address. */
  save(row) {
    this.exports.saved(BigInt(row));
  }

  /** The position of a row; what was before cannot be taken back. */
  restore(row) {
    this.exports.restored(BigInt(row));
    this.before = [];
    this.plans = [];
    this.taken = [];
  }

  /**
   * Plays random games from rows in a sequence on, `times` from each: `which` is the number of the value of positions
   * (-1: points). Playout n draws as game n of the seed, or n modulo a `period`, as `Search.playouts` in Python. Returns
   * for each whether it has ended, the winners as numbers of seats, the points and the values.
   */
  playouts(rows, count, seed, { times = 1, cap = 5000, which = -1, period = 0 } = {}) {
    const { RESULT, RESULTS } = this.registers, { seats } = this.names, results = [], batch = this.names.batch;
    this.write("EACH", 1);
    this.write("PERIOD", period);
    this.write("SEED", BigInt.asIntN(64, BigInt(seed)));
    for (let first = 0; first < count; first += batch) {
      const size = Math.min(batch, count - first);
      this.write("FIRST", first);
      this.write("ROWS", rows + this.registers.ROW * Math.floor(first / times));
      for (const register of ["GAME", "NEXT", "PAUSED"]) this.write(register, 0);
      while (this.read("GAME") < size) {
        this.write("BUDGET", 300000000);
        this.exports.judged(BigInt(size), BigInt(cap), BigInt(which), BigInt(times), BigInt(first % times));
      }
      for (let game = 0; game < size; game++) {
        const at = (RESULTS + RESULT * game) / 8, ended = this.numbers[at] === 0n, won = this.numbers[at + 3];
        const values = seats.map((_, seat) => Number(this.numbers[at + RESULT / 8 - seats.length + seat]));
        const ranks = this.names.ties && this.ranksAt(at + 4), scores = ranks ? ranks.map(([points]) => Number(points)) : [];
        results.push({ ended, winners: this.winners(ended, won, ranks), scores, values });
      }
    }
    return results;
  }

  // The numbers of the seats that win, or lead where a game was cut off, with those of their teams.
  winners(ended, won, ranks) {
    const { seats, teams } = this.names, best = ranks && ranks.reduce((one, other) => (compared(one, other) < 0 ? other : one));
    const wins = seats.map((_, seat) => (ended && won >= 0n ? Boolean(won >> BigInt(seat) & 1n) : best !== null && compared(ranks[seat], best) === 0));
    const of = new Set(teams.filter((_, seat) => wins[seat]));
    return seats.map((_, seat) => seat).filter((seat) => wins[seat] || of.has(teams[seat]));
  }

  /** Calls; what stops halfway is taken back. */
  tried(call) {
    const mark = this.read("JOURNAL");
    try {
      return call();
    } catch (error) {
      this.exports.undo(mark);
      throw new Error("the rules are at fault here, or only Python can tell", { cause: error });
    }
  }
}

/** Compares lists as Python does: by the first number that differs, then by length. */
function compared(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i++) if (one[i] !== other[i]) return one[i] - other[i];
  return one.length - other.length;
}
