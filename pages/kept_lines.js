"use strict";
// Variations of the page without a server: read from a log, kept of what was taken back, and written into the log again.
// What a log says is a stranger's: it is checked, and shown as text.
function makeKeptLines() {
  const MOST = 200, DEEPEST = 20;
  let kept = [];  // each with the decisions that it begins after, as JSON

  function checked(variation, naming, depth) {
    const { moves, name = "", remark = "", ...more } = variation ?? {}, texts = [name, remark];
    if (depth > DEEPEST || !Array.isArray(moves) || !moves.length || Object.keys(more).some((key) => key !== "at")) throw new Error("a variation is malformed");
    if (texts.some((text) => typeof text !== "string")) throw new Error("a variation is malformed");
    return { ...name && { name }, ...remark && { remark }, moves: moves.map((move) => renamed(move, naming, depth)) };
  }
  function renamed(move, { own, text }, depth) {
    const { decision, by, option, variations, ...said } = move ?? {};
    if (typeof decision !== "string" || typeof option !== "string" || (by !== null && typeof by !== "string")) throw new Error("a move of a variation is malformed");
    const inner = variations && { variations: variations.map((each) => checked(each, { own, text }, depth + 1)) };
    return { decision, by: by === null ? null : own.get(by) ?? by, option: text(option), ...said, ...inner };
  }
  const stemOf = (taken, at) => JSON.stringify(taken.slice(0, at));
  const standing = (taken) => kept.filter(({ at, stem }) => at <= taken.length && stem === stemOf(taken, at));

  return {
    clear() {
      kept = [];
    },
    // The variations of a line of a log before which these decisions stand; `naming` gives the ids of seats here.
    read({ variations, by }, taken, naming) {
      if (!Array.isArray(variations)) throw new Error("variations must be a list");
      for (const each of variations) {
        const at = each?.at ?? taken.length, variation = checked(each, naming, 1);
        if (at <= taken.length && kept.length < MOST) kept.push({ at, by: naming.own.get(by) ?? by, stem: stemOf(taken, at), variation });
      }
    },
    // Keeps decisions that were taken back as a variation.
    keep(taken, moves) {
      if (kept.length < MOST) kept.push({ at: taken.length, stem: stemOf(taken, taken.length), variation: { moves } });
    },
    // The lines for the log of these decisions: those of decisions that were taken back are left out.
    written: (taken) => standing(taken).map(({ at, by, variation }) => ({ variations: [{ ...variation, at }], ...by && { by } })),
    // The variations for the page, as texts.
    texts: (taken) => standing(taken).map(({ at, variation }) => `${at + 1}: ${textOf(variation)}`),
  };

  function textOf({ name, remark, moves }) {
    const parts = moves.map(({ option, remark: said, variations = [] }) => [option, said && `“${said}”`, ...variations.map((each) => `(${textOf(each)})`)].filter(Boolean).join(" "));
    return [name && `${name}:`, parts.join(" · "), remark && `“${remark}”`].filter(Boolean).join(" ");
  }
}
