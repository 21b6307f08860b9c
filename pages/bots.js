"use strict";
// Bots that choose as in Python by the same seed: `random`, and `flat:N` (see `rulespec.engine.bots.named`).
// They need a `WasmGame`; the page runs them in a worker.
const CUT = 20, CAP = 5000, NEARLY = Math.log(19), PLACES = 0.2, WORD = 2n ** 64n;

// A number made of the seed, the seat and the number of the decision.
function seedOf(seed, seat, ply) {
  return blake2b(new TextEncoder().encode(`${seed} ${seat} ${ply}`), 8).reduceRight((sum, byte) => sum << 8n | BigInt(byte), 0n);
}

// The number of the option that a bot takes in the position of a row, among those of the decider.
function botPick(game, row, name, seed, seat, ply) {
  game.place ??= game.room(row.length);
  game.numbers.set(row, game.place / 8);
  game.restore(game.place);
  const options = game.options();
  if (options.length < 2) return 0;
  const word = (key, at) => BigInt.asUintN(64, game.exports.word(BigInt.asIntN(64, key), BigInt(at)));
  const key = word(word(seedOf(seed, seat, ply), 0), 0);
  if (name === "random") return below(word, key, options.length);
  return flat(game, options, game.names.seats.indexOf(seat), Number(name.slice("flat:".length)), (round) => word(key, round));
}

// A number below a bound, all of them equally likely (Lemire).
function below(word, key, bound) {
  const most = BigInt(bound), least = WORD % most;
  let bits = word(key, 0);
  while (bits * most % WORD < least) bits = word(bits, 0);
  return Number(bits * most / WORD);
}

// Sequential halving: playouts are split evenly over rounds, and after each the worse half is left out.
function flat(game, options, seat, playouts, seedOfRound) {
  const size = game.registers.ROW, { value, single, ties } = game.names;
  const judges = value !== null || (ties !== null && !single);
  const cap = judges ? (value ? value.horizon : CUT) : CAP;
  if (!(game.most >= options.length)) [game.most, game.rows] = [2 * options.length, game.room(2 * options.length * size / 8)];
  const first = game.rows;
  const after = options.map((option) => {
    game.restore(game.place);
    game.apply(option);
    game.save(first);
    return game.numbers.slice(first / 8, (first + size) / 8);
  });
  const sums = options.map(() => 0), played = options.map(() => 0), rounds = Math.max(1, Math.ceil(Math.log2(options.length)));
  let left = options.map((_, i) => i);
  for (let round = 0; round < rounds; round++) {
    const times = Math.max(1, Math.floor(playouts / (rounds * left.length)));
    left.forEach((option, i) => game.numbers.set(after[option], (first + size * i) / 8));
    const ends = game.playouts(first, left.length * times, seedOfRound(round), { times, cap, period: times, which: value ? 0 : -1 });
    left.forEach((option, i) => {
      sums[option] += summed(ends.slice(i * times, (i + 1) * times).map((end) => aim(game.names, end, seat)));
      played[option] += times;
    });
    const order = [...left].sort((one, other) => sums[other] / played[other] - sums[one] / played[one] || one - other);
    left = order.slice(0, Math.ceil(left.length / 2)).sort((one, other) => one - other);
  }
  return left[0];
}

// A sum in the order in which NumPy adds, which is seen in the last digit.
function summed(values) {
  const { length } = values;
  if (length < 8) return values.reduce((sum, each) => sum + each, 0);
  if (length > 128) {
    const half = Math.floor(length / 2), some = half - half % 8;
    return summed(values.slice(0, some)) + summed(values.slice(some));
  }
  const r = values.slice(0, 8), whole = length - length % 8;
  for (let i = 8; i < whole; i++) r[i % 8] += values[i];
  const sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
  return values.slice(whole).reduce((one, other) => one + other, sum);
}

// What a seat plays for at the end of a playout: the share of the win, and its place; see `Payoffs.aims`.
function aim(names, end, seat) {
  const share = payoff(names, end, seat), { seats, teams, value, stakes } = names, { ended, winners, scores, values } = end;
  const of = teams.length ? teams : seats, named = [...new Set(of)];
  if (stakes || named.length < 3) return share;
  const won = new Set(winners.map((winner) => of[winner])), own = of[seat];
  const points = (team) => meanOf(of, team, scores), worth = (team) => meanOf(of, team, values) * (NEARLY / value.decides);
  const beaten = named.map((team) => {
    if (!ended && value !== null) return 1 / (1 + Math.exp(-Math.max(-500, Math.min(500, worth(own) - worth(team)))));
    return (Math.sign(2 * (won.has(own) - won.has(team)) + Math.sign(points(own) - points(team))) + 1) / 2;
  });
  const place = (summed(beaten) - 0.5) / (named.length * (named.length - 1) / 2);
  return share + PLACES * (place - share);
}

// The mean of a team's numbers, given those of each seat and the team of each.
function meanOf(of, team, numbers) {
  const own = numbers.filter((_, i) => of[i] === team);
  return own.reduce((sum, each) => sum + each, 0) / own.length;
}

// The share of the win that the end of a playout is worth to a seat; see `Payoffs` in `rulespec.engine.search.payoffs`.
function payoff({ seats, teams, value, single, stakes }, { ended, winners, scores, values }, seat) {
  const of = teams.length ? teams : seats, named = [...new Set(of)], own = of[seat];
  if (stakes) {
    const means = named.map((team) => meanOf(of, team, scores)), mean = means.reduce((sum, each) => sum + each, 0) / means.length;
    return Math.min(1, Math.max(0, 0.5 + (means[named.indexOf(own)] - mean) / (2 * stakes)));
  }
  if (ended || value === null) {
    if (single && !ended) return 0.5;
    const won = new Set(winners.map((winner) => of[winner]));
    return won.size ? (won.has(own) ? 1 / won.size : 0) : single ? 0 : 1 / named.length;
  }
  const means = named.map((team) => meanOf(of, team, values) * (NEARLY / value.decides));
  if (single) return 1 / (1 + Math.exp(-Math.max(-500, Math.min(500, means[0]))));
  const best = Math.max(...means), odds = means.map((mean) => Math.exp(mean - best));
  return odds[named.indexOf(own)] / odds.reduce((sum, each) => sum + each, 0);
}

// BLAKE2b (RFC 7693) of less than 128 bytes, without a key.
function blake2b(message, length) {
  const IV = [0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
    0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n];
  const SIGMA = ["0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d"].concat(
    ["2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0"]);
  const block = new DataView(new ArrayBuffer(128));
  message.forEach((byte, i) => block.setUint8(i, byte));
  const words = Array.from({ length: 16 }, (_, i) => block.getBigUint64(8 * i, true));
  const h = [...IV];
  h[0] ^= 0x01010000n ^ BigInt(length);
  const v = [...h, ...IV];
  v[12] ^= BigInt(message.length);
  v[14] ^= WORD - 1n;
  const turned = (x, by) => BigInt.asUintN(64, x >> by | x << 64n - by);
  function mix(a, b, c, d, x, y) {
    v[a] = BigInt.asUintN(64, v[a] + v[b] + x);
    v[d] = turned(v[d] ^ v[a], 32n);
    v[c] = BigInt.asUintN(64, v[c] + v[d]);
    v[b] = turned(v[b] ^ v[c], 24n);
    v[a] = BigInt.asUintN(64, v[a] + v[b] + y);
    v[d] = turned(v[d] ^ v[a], 16n);
    v[c] = BigInt.asUintN(64, v[c] + v[d]);
    v[b] = turned(v[b] ^ v[c], 63n);
  }
  const lanes = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
  for (let round = 0; round < 12; round++)
    lanes.forEach(([a, b, c, d], i) => {
      const [x, y] = [0, 1].map((k) => words[parseInt(SIGMA[round % 10][2 * i + k], 16)]);
      mix(a, b, c, d, x, y);
    });
  return Array.from({ length }, (_, i) => Number((h[i >> 3] ^ v[i >> 3] ^ v[(i >> 3) + 8]) >> BigInt(8 * (i & 7)) & 255n));
}
if (typeof module !== "undefined") module.exports = { botPick, blake2b };
