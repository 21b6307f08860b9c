// A game of a module that `rulespec export REF --players N --wasm FILE` has written: state, options, apply, undo, playouts.
//
//   const game = await WasmGame.load(bytes);
//   game.start();
//   for (const option of game.options()) console.log(option.name, option.args);
//   game.apply(game.options()[0]);
//   game.undo();
//   game.seed(1, 0);                // game 0 of `rulespec simulate --seed 1`
//   game.playout(5000);             // "over", "capped" or "stuck"

const ENDS = ["over", "capped", "stuck", "broken", "paused"];
const STEPS = 2 ** 53;

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
    this.marks = [];
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
    this.marks = [];
    this.exports.reset();
    this.write("LEFT", this.registers.STEPS);
    this.exports.run(BigInt(this.names.main));
  }

  /** Lets playouts draw as game number `game` of a seed. */
  seed(seed, game = 0) {
    this.exports.seed(BigInt.asIntN(64, BigInt(seed)), BigInt(game));
  }

  /** The values of all cells of the rules, as BigInt: sets have a bit for each member. */
  cells() {
    return this.names.cells.map((cell) => {
      let value = this.numbers[cell.at / 8];
      if (cell.words > 1 || cell.type.startsWith("set ")) value = BigInt.asUintN(64, value);
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

  /** The name of the open decision and the seat that takes it (null: chance); null when the game is over. */
  get decision() {
    if (this.asked < 0) return null;
    const by = Number(this.exports.who(BigInt(this.asked)));
    return { name: this.names.decisions[this.asked], by: by < 0 ? null : this.names.seats[by] };
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
      const args = option.params.map((param, i) => this.shown(param.type, row[2 + i]));
      found.push({ name: option.name, args, by: row[1] < 0n ? null : this.names.seats[Number(row[1])], row });
    }
    return found;
  }

  shown(type, value) {
    const kind = this.names.kinds[type.replace(/\?$/, "")];
    if (kind) return value < 0n ? null : kind[Number(value)];
    return type === "int?" && value === -(10n ** 15n) - 1n ? null : Number(value);
  }

  /** Takes an option that `options` has listed here. */
  apply(option) {
    this.numbers.set(option.row, this.registers.OPTIONS_BASE / 8);
    const mark = this.read("JOURNAL");
    this.tried(() => this.exports.take(BigInt(this.registers.OPTIONS_BASE)));
    this.marks.push(mark);
  }

  /** Takes the last decision back. */
  undo() {
    if (!this.marks.length) throw new Error("there is no decision to take back");
    this.exports.undo(this.marks.pop());
  }

  /** Plays random decisions to the end or so many; what was before cannot be taken back. */
  playout(cap = 5000) {
    this.marks = [];
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
