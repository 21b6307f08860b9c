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

// A board: `show(moves)` draws the position after so many moves, and touches only what differs from what is drawn.
// What the last move has changed is marked.
function makeBoard(board, svg) {
  const after = makePositions(board.changes, board.items);
  const places = [...svg.querySelectorAll("[data-item]")];
  const drawn = new Int32Array(board.items).fill(-1);
  let marked = [];
  return function show(moves) {
    for (const item of marked) places[item].classList.remove("changed");
    marked = moves ? (board.changes[moves] || []).filter((_, i) => i % 2 === 0) : [];
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

  function fill(cell, parts) {
    cell.replaceChildren(...parts.map((part) => {
      const made = document.createElement("span");
      if (typeof part === "string") made.textContent = part;
      else {
        [made.textContent, made.style.background, made.style.color] = part;
        made.className = "chip";
      }
      return made;
    }));
  }

  box.replaceChildren(...tables.map(({ title, heads, rows: names }) => {
    const table = document.createElement("table"), head = document.createElement("tr");
    table.createCaption().textContent = title;
    const named = names.some((parts) => parts.length);
    for (const text of [...(named ? [""] : []), ...heads]) {
      const cell = document.createElement(text || !named ? "th" : "td");
      if (cell.tagName === "TH") cell.scope = "col";
      cell.textContent = text;
      head.append(cell);
    }
    table.createTHead().append(head);
    const body = table.createTBody();
    for (const parts of names) {
      const row = body.insertRow();
      if (named) {
        const name = document.createElement("th");
        name.scope = "row";
        fill(name, parts);
        row.append(name);
      }
      rows.push(heads.map(() => row.insertCell()));
    }
    return table;
  }));
  box.hidden = !rows.length;
  let drawn = [], marked = [];
  return function show(moves) {
    for (const cell of marked) cell.classList.remove("changed");
    marked = [];
    const now = after(moves), before = moves ? after(moves - 1) : now;
    now.forEach((drawing, row) => {
      if (drawing < 0) return;
      texts[drawing].forEach((parts, column) => {
        const cell = rows[row][column], text = JSON.stringify(parts);
        if (drawn[row]?.[column] !== text) fill(cell, parts);
        (drawn[row] ??= [])[column] = text;
        if (before[row] >= 0 && JSON.stringify(texts[before[row]][column]) !== text) marked.push(cell);
      });
    });
    for (const cell of marked) cell.classList.add("changed");
  };
}
