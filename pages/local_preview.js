"use strict";
// What an option would change, for a page that plays alone: it is taken on the module and taken back, and what the boards
// and tables draw before and after is compared. Only for games without secrets: there everything drawn may be said.

function makeLocalPreview(game, plan) {
  const draw = makeDrawing(plan), WRITTEN = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };
  const plain = (text) => text.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => WRITTEN[name]);
  // The texts of a cell; chips have letters, which say something only where there is nothing else.
  function written(parts) {
    const texts = parts.filter((part) => typeof part === "string");
    return (texts.length ? texts : parts.map(([letters]) => letters)).join(" ") || "–";
  }
  function shown() {
    const { items, tables } = draw(game.state()), titles = new Map();
    for (const { svg } of items) {
      const title = /<title>([^<]*)<\/title>/.exec(svg)?.[1];
      if (title) titles.set(title, plain(title));
    }
    return { titles, tables };
  }
  function* between(before, after) {
    for (const [t, rows] of after.tables.entries())
      for (const [r, cells] of rows.entries())
        for (const [c, parts] of cells.entries()) {
          const [old, now] = [written(before.tables[t][r][c]), written(parts)], { heads, rows: firsts } = plan.tables[t];
          if (old !== now) yield `${[...firsts[r].filter((part) => typeof part === "string"), heads[c]].join(" ")}: ${old} → ${now}`;
        }
    for (const [key, title] of before.titles) if (!after.titles.has(key)) yield `− ${title}`;
    for (const [key, title] of after.titles) if (!before.titles.has(key)) yield `+ ${title}`;
  }
  function untilOf() {
    const { decision } = game;
    if (!decision) return "over";
    return decision.by === null ? "chance" : decision.together ? "others" : undefined;
  }

  return function preview(option) {
    const before = shown();
    game.apply(option);
    try {
      return { changes: [...between(before, shown())], until: untilOf() };
    } finally {
      game.undo();
    }
  };
}
