"use strict";
// What stands on the board after each move. The data hold, for each position, the items that change in it, as pairs:
// the number of the item, and that of its drawing (-1: it is gone). A whole position is kept every 50 moves.
const EVERY = 50;

function makePositions(changes, items) {
  const kept = [];
  let last = new Int32Array(items).fill(-1);
  changes.forEach((pairs, at) => {
    apply(last, pairs);
    if (at % EVERY === 0) kept.push(last.slice());
  });

  function apply(position, pairs) {
    for (let i = 0; i < pairs.length; i += 2) position[pairs[i]] = pairs[i + 1];
  }

  // The drawing of each item after so many moves.
  return function after(moves) {
    const at = Math.min(moves, changes.length - 1);
    const position = kept[Math.floor(at / EVERY)].slice();
    for (let i = Math.floor(at / EVERY) * EVERY + 1; i <= at; i++) apply(position, changes[i]);
    return position;
  };
}

// The items that are drawn otherwise in one position than in another.
function differing(one, other) {
  return [...one.keys()].filter((item) => one[item] !== other[item]);
}

// The pictures in `root`: `show(moves)` draws the position after so many moves, and touches only what differs from what is drawn.
// What has changed since the position `before`, that of a move less, is marked.
function makeBoard(board, root) {
  const after = makePositions(board.changes, board.items);
  const places = [...root.querySelectorAll("[data-item]")];
  const drawn = new Int32Array(board.items).fill(-1);
  let marked = [];
  return function show(moves, before = moves - 1) {
    for (const item of marked) places[item].classList.remove("changed");
    if (before === moves - 1) marked = moves ? (board.changes[moves] || []).filter((_, i) => i % 2 === 0) : [];
    else marked = differing(after(before), after(moves));
    for (const item of marked) places[item].classList.add("changed");
    after(moves).forEach((drawing, item) => {
      if (drawing === drawn[item]) return;
      drawn[item] = drawing;
      places[item].innerHTML = drawing < 0 ? "" : board.drawings[drawing];  // drawn by Rulespec, never a stranger's
    });
  };
}

// Tables beside the board: `show(moves)` fills the cells of the position, and marks those that the last move changed.
function makeTables({ tables, items, drawings, changes }, box) {
  const after = makePositions(changes, items), rows = [];
  const texts = drawings.map((text) => JSON.parse(text));

  box.replaceChildren(...tables.map((each) => {
    const grid = buildGrid(each, (_, parts) => parts);
    rows.push(...grid.rows.map(({ cells }) => cells));
    return grid.table;
  }));
  box.hidden = !rows.length;
  let drawn = [], marked = [];
  return function show(moves, before = moves - 1) {
    for (const cell of marked) cell.classList.remove("changed");
    marked = [];
    const now = after(moves), earlier = before >= 0 ? after(before) : now;
    now.forEach((drawing, row) => {
      if (drawing < 0) return;
      texts[drawing].forEach((parts, column) => {
        const cell = rows[row][column], text = JSON.stringify(parts);
        if (drawn[row]?.[column] !== text) fillCell(cell, parts);
        (drawn[row] ??= [])[column] = text;
        if (earlier[row] >= 0 && JSON.stringify(texts[earlier[row]][column]) !== text) marked.push(cell);
      });
    });
    for (const cell of marked) cell.classList.add("changed");
  };
}
