"use strict";
// A table beside the boards, in letters of the page. The parts of a cell are texts, and chips: text, two colours, perhaps a place.
function fillCell(cell, parts) {
  cell.replaceChildren(...parts.map((part) => {
    const made = document.createElement("span");
    if (typeof part === "string") made.textContent = part;
    else {
      [made.textContent, made.style.background, made.style.color] = part;
      made.className = "chip";
      if (part[3]) made.dataset.place = part[3];
    }
    return made;
  }));
}

// The table, and its rows with their empty cells. `nameOf(i, parts)` gives the name of a row.
function buildGrid({ title, heads, rows: names }, nameOf) {
  const table = document.createElement("table"), head = document.createElement("tr");
  table.createCaption().textContent = title;
  const body = table.createTBody();
  if (names.length === 1 && !names[0].length) return { table, rows: [{ row: body, cells: pairs(table, heads) }] };
  for (const text of ["", ...heads]) {
    const cell = document.createElement(text ? "th" : "td");
    if (text) cell.scope = "col";
    cell.textContent = text;
    head.append(cell);
  }
  table.createTHead().append(head);
  const rows = names.map((parts, i) => {
    const row = body.insertRow(), name = document.createElement("th");
    name.scope = "row";
    fillCell(name, nameOf(i, parts));
    row.append(name);
    return { row, cells: heads.map(() => row.insertCell()) };
  });
  return { table, rows };
}

// The cells of a table that has values alone: each below its head, in as many lines as they need.
function pairs(table, heads) {
  table.className = "single";
  return heads.map((text) => {
    const row = table.tBodies[0].insertRow(), head = document.createElement("th");
    head.scope = "row";
    head.textContent = text;
    row.append(head);
    return row.insertCell();
  });
}
