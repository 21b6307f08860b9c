"use strict";
// Boards that follow a table: each is a figure of its own. `draw` gives what shows a state, see `draw.js`.
const LEAST_TEXT = 12, LEAST_PIECE = 16, GROWS = {"[data-layer=pieces]": 1.35, ".rims": 2.6, "[data-grows]": 2.7, "[data-room]": 2.6}, MOST_LABELS = 16, SQUEEZED = 1.3;

function makePicture(root, draw) {
  const homes = new Map([...root.querySelectorAll("[data-panel]")].map((panel) => [panel.dataset.panel,
    new Map([...panel.querySelectorAll("[data-layer]")].map((layer) => [layer.dataset.layer, layer]))]));
  const drawn = new Map();
  let marked = [], shown = new Map();

  function place({ id, panel, layer, svg }, before) {
    let group = drawn.get(id);
    if (!group) {
      group = document.createElementNS("http://www.w3.org/2000/svg", "g");
      group.dataset.item = id;
      drawn.set(id, group);
      const home = homes.get(panel).get(layer), under = drawn.get(before);
      if (under && under.parentNode === home) under.after(group);
      else if (before) home.append(group);
      else home.prepend(group);
    }
    group.innerHTML = svg;  // drawn by Rulespec, never a stranger's
    return group;
  }

  // Shows a state and a roll; `whole`: there is nothing before it. What has changed is marked until the next change: what
  // has only made room for others has not.
  return function show(state, whole, roll) {
    for (const each of marked) each.classList.remove("changed");
    marked = [];
    const items = new Map(), last = {}, results = draw(state, roll);
    for (const item of results.items) {
      const { id, svg, panel, layer, meaning = svg } = item, home = `${panel} ${layer}`, had = shown.get(id);
      items.set(id, item);
      if (had?.svg !== svg) {
        const group = place(item, last[home]);
        if ((had?.meaning ?? had?.svg) !== meaning) marked.push(group);
      }
      last[home] = id;
    }
    for (const id of shown.keys()) {
      if (items.has(id)) continue;
      drawn.get(id).remove();
      drawn.delete(id);
    }
    shown = items;
    if (!whole) for (const each of marked) each.classList.add("changed");
    return results;
  };
}

// Tables beside the boards, in letters of the page; what has changed in them is marked, cell by cell.
function makeTables(tables, box) {
  const rows = [];
  let drawn = [], room = 0;

  function build(nameOf) {
    rows.length = 0;
    box.replaceChildren(...tables.map((table, number) => {
      const grid = buildGrid(table, (i, parts) => nameOf(number, i, parts));
      grid.rows.forEach(({ row, cells }, i) => {
        if (table.places[i]) row.dataset.place = table.places[i];
        cells.forEach((cell, c) => { cell.dataset.head = table.heads[c]; });
      });
      rows.push(grid.rows);
      return grid.table;
    }));
    box.hidden = !rows.length;
    drawn = [];
  }
  // A table that is too wide has its rows in several lines, where each value stands below its head.
  function fold() {
    const all = [...box.querySelectorAll("table:not(.single)")];
    for (const each of all) each.classList.remove("folded");
    const wide = all.map((each) => each.offsetWidth > box.clientWidth);
    all.forEach((each, t) => each.classList.toggle("folded", wide[t]));
    room = box.clientWidth;
  }
  new ResizeObserver(() => { if (box.clientWidth !== room) requestAnimationFrame(fold); }).observe(box);

  return {
    build,
    show(values, turn, whole) {
      for (const cell of box.querySelectorAll(".changed")) cell.classList.remove("changed");
      values.forEach((table, t) => table.forEach((cells, r) => {
        rows[t][r].row.classList.toggle("turn", Boolean(turn) && turn[0] === tables[t].kind && turn[1] === r);
        cells.forEach((parts, c) => {
          const text = JSON.stringify(parts), key = `${t} ${r} ${c}`, had = drawn[key];
          if (had === text) return;
          fillCell(rows[t][r].cells[c], parts);
          drawn[key] = text;
          if (!whole && had !== undefined) rows[t][r].cells[c].classList.add("changed");
        });
      }));
      fold();
    },
  };
}

// Texts of a picture that are too small to be read are not drawn; letters of pieces, and the names of columns and rows and
// of people and trays, grow as far as there is room.
// Places that can be clicked have their names all the same, where these have room.
function fitTexts(svg) {
  svg.querySelector(".labels")?.remove();
  for (const text of svg.querySelectorAll("text")) {
    const own = text.fitted ??= { size: Number(text.getAttribute("font-size")), y: Number(text.getAttribute("y")) };
    const { a, b } = text.getScreenCTM() ?? { a: 0, b: 0 }, scale = Math.hypot(a, b);
    let { size } = own;
    const room = Object.entries(GROWS).find(([within]) => text.closest(within))?.[1] ?? 1;
    if (size * scale < LEAST_TEXT && size * scale * room >= LEAST_TEXT) size = (LEAST_TEXT + 0.01) / scale;
    const wide = Number(text.closest("[data-room]")?.dataset.room ?? Infinity);
    if (text.hasAttribute("textLength")) for (const name of ["textLength", "lengthAdjust"]) text.removeAttribute(name);
    const long = text.getComputedTextLength() * size / (own.shown ?? own.size);
    if (size > own.size && long > wide * SQUEEZED) size = own.size;
    else if (size > own.size && long > wide) {
      text.setAttribute("textLength", wide);
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    if (size !== own.shown) {
      text.setAttribute("font-size", size);
      text.setAttribute("y", own.y + (text.closest("[data-grows=up]") ? 0 : (size - own.size) * 0.36));
      own.shown = size;
    }
    text.classList.toggle("tiny", size * scale < LEAST_TEXT);
  }
  hideCovered(svg);
  labelLit(svg);
}

// A number of a cell that has grown is not drawn where a piece would cover it.
function hideCovered(svg) {
  const grown = [...svg.querySelectorAll("[data-grows=up] text:not(.tiny)")].filter((text) => text.fitted.shown > text.fitted.size);
  const pieces = grown.length ? [...svg.querySelectorAll("[data-layer=pieces] > *")].map((each) => each.getBBox()) : [];
  for (const text of grown) {
    const box = text.getBBox(), top = box.y + box.height * 0.25;  // above it, letters leave room
    const isCovered = ({ x, y, width, height }) => x < box.x + box.width && box.x < x + width && top < y + height && y < box.y + box.height;
    text.classList.toggle("tiny", pieces.some(isCovered));
  }
}

function labelLit(svg) {
  const lit = [...svg.querySelectorAll("[data-place].lit, [data-place].clicked")], { a: scale } = svg.getScreenCTM() ?? { a: 0 };
  if (!lit.length || lit.length > MOST_LABELS || !scale) return;
  const textOf = (texts) => [...svg.querySelectorAll(texts)].map(({ textContent }) => textContent).join(" ");
  const tiny = textOf("text.tiny"), read = textOf("text:not(.tiny)"), has = (all, name) => name.split(" ").every((word) => all.includes(word));
  const group = document.createElementNS("http://www.w3.org/2000/svg", "g"), taken = [], { x, y, width } = svg.viewBox.baseVal;
  group.setAttribute("class", "labels");
  svg.append(group);
  const into = svg.getScreenCTM().inverse(), inside = (px, py) => new DOMPoint(px, py).matrixTransform(into);
  const pieces = [...svg.querySelectorAll('[data-item^="piece."]')].map((each) => each.getBoundingClientRect()).map((each) => {
    const [from, to] = [inside(each.left, each.top), inside(each.right, each.bottom)];
    return { left: Math.min(from.x, to.x), right: Math.max(from.x, to.x), top: Math.min(from.y, to.y), bottom: Math.max(from.y, to.y) };
  });
  for (const place of lit) {
    const name = place.getAttribute("aria-label");
    if (!name || !has(tiny, name) || has(read, name)) continue;
    const box = place.getBBox(), text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    for (const [key, value] of Object.entries({ "font-size": (LEAST_TEXT + 0.01) / scale, "stroke-width": 3 / scale, "text-anchor": "middle" })) text.setAttribute(key, value);
    text.textContent = name;
    group.append(text);
    const half = text.getComputedTextLength() / 2, high = LEAST_TEXT * 1.2 / scale;
    const small = svg.querySelector(`[data-name="${CSS.escape(place.dataset.place)}"]`)?.getBBox();  // the name that cannot be read
    const across = small ? small.x + small.width / 2 : box.x + box.width / 2;
    const isLow = box.height < 4 * high;  // above it, the label covers no piece there
    const down = small ? small.y + small.height / 2 - high / 2 : isLow ? box.y - high - 4 / scale : box.y + box.height * 0.25;
    const ends = [box.x + half, box.x + box.width - half];  // of where the middle is within the place, or all of it below the label
    const inside = Math.max(Math.min(...ends), Math.min(Math.max(...ends), across)), middle = Math.max(x + half, Math.min(x + width - half, inside));
    const at = (lines) => ({ left: middle - half, right: middle + half, top: Math.max(y, down + lines * high), bottom: Math.max(y, down + lines * high) + high });
    const overlap = (one, each) => one.left < each.right && each.left < one.right && one.top < each.bottom && each.top < one.bottom;
    const meets = (one) => taken.some((each) => overlap(one, each));
    const further = Array.from({ length: Math.floor(box.height / high) }, (_, line) => (box.y - down) / high + line);
    const free = [0, 1, -1, ...further].map(at).filter((each) => !meets(each));
    const own = free.find((each) => !pieces.some((piece) => overlap(each, piece))) ?? free[0];
    if (!own) {
      text.remove();
      continue;
    }
    taken.push(own);
    text.setAttribute("x", middle);
    text.setAttribute("y", own.top + high * 0.8);
  }
}

// Places of boards and tables: those that can be clicked, and those that have been; where a question is asked is marked.
// `seat` gives the number of the seat that looks at it: some boards have other places for each.
function makePlaces(root, titles, onClick, seat = () => 0) {
  const SNAP = 40, MOVED = 6, MOST_RINGS = 64, rings = new Map();
  let lit = new Set(), also = new Set(), down = null;

  const all = () => [...root.querySelectorAll("[data-place]")];
  const groups = () => [...rings.values()].flatMap((own) => [...own.values()]);
  function drawn() {
    turn();
    return new Set(all().map((each) => each.dataset.place));
  }

  // Rings of areas lie below the names on them, those of pieces and spots above all.
  function ringsOf(element) {
    const svg = element.ownerSVGElement, names = svg.querySelector(":scope > :is(.names, [data-layer=names])");
    const before = names && names.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING ? names : null;
    if (!rings.has(svg)) rings.set(svg, new Map());
    const own = rings.get(svg);
    if (!own.has(before)) own.set(before, added(svg, before));
    return own.get(before);
  }
  function added(svg, before) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "g");
    made.setAttribute("class", "rings");
    svg.insertBefore(made, before);
    return made;
  }

  function ring(element, className) {
    const shape = element.closest("[data-layer], .areas")?.matches(".areas") && element.querySelector("path");
    const box = shape ? null : element.getBBox();
    const made = shape ? shape.cloneNode(false) : document.createElementNS("http://www.w3.org/2000/svg", "rect");
    if (box) {
      const numbers = { x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6, rx: 5 };
      for (const [name, value] of Object.entries(numbers)) made.setAttribute(name, value);
    }
    for (const name of ["fill", "stroke", "stroke-width", "data-place"]) made.removeAttribute(name);
    const isCrossing = element.querySelector(":scope > rect[fill=none]");  // of lines: a frame would hide them
    made.setAttribute("class", isCrossing ? `${className} crossing` : className);
    ringsOf(element).append(made);
  }

  function turn() {
    const number = Math.max(seat(), 0);
    for (const element of root.querySelectorAll("[data-places]")) {
      const place = element.dataset.places.split(" ")[number] ?? "-";
      if (place === "-") delete element.dataset.place;
      else element.dataset.place = place;
    }
  }

  // `places` are marked and can be clicked; `more` can be clicked, too; `about` is where the question is asked.
  function show(places, clicked, more = [], about = []) {
    turn();
    lit = new Set([...places, ...about]);
    also = new Set(more);
    for (const each of groups()) each.replaceChildren();
    for (const element of all()) {
      const place = element.dataset.place, on = lit.has(place);
      const classes = { lit: places.includes(place), about: about.includes(place), clicked: clicked.includes(place) };
      for (const [name, is] of Object.entries(classes)) {
        element.classList.toggle(name, is);
        if (is && element.ownerSVGElement) ring(element, name);
      }
      if (on) {
        element.setAttribute("tabindex", "0");
        element.setAttribute("role", "button");
      } else if (element.getAttribute("role") === "button") {
        for (const name of ["tabindex", "role"]) element.removeAttribute(name);
      }
      if (on || classes.clicked) element.setAttribute("aria-label", titles(place));
      else element.removeAttribute("aria-label");
    }
    for (const group of groups()) group.classList.toggle("many", group.childElementCount > MOST_RINGS);
    for (const svg of root.querySelectorAll("figure > svg")) fitTexts(svg);
  }

  // Marks the places of what is pointed at.
  function point(places) {
    for (const each of root.querySelectorAll(".rings .meant")) each.remove();
    for (const element of all()) {
      const is = places.includes(element.dataset.place);
      element.classList.toggle("meant", is);
      if (is && element.ownerSVGElement) ring(element, "meant");
    }
  }

  // The place at a point that can be clicked, under whatever stands there; else the nearest lit one that a finger may
  // have meant.
  function meant(x, y) {
    const under = document.elementsFromPoint(x, y).map((each) => each.closest("[data-place]")).filter((each) => each && root.contains(each));
    for (const places of [lit, also]) {
      const exact = under.find((each) => places.has(each.dataset.place));
      if (exact) return exact;
    }
    let best = null, least = SNAP;
    for (const element of all()) {
      if (!lit.has(element.dataset.place)) continue;
      const box = element.getBoundingClientRect();
      const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (far < least) [best, least] = [element, far];
    }
    return best;
  }

  root.addEventListener("pointerdown", (event) => { down = event; });
  root.addEventListener("click", (event) => {
    if (down && Math.hypot(down.clientX - event.clientX, down.clientY - event.clientY) > MOVED) return;
    if (!event.target.closest("svg, [data-place]")) return;
    const element = meant(event.clientX, event.clientY);
    onClick(element ? element.dataset.place : null, element, event);
  });
  root.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const element = event.target.closest("[data-place]");
    if (!element || !lit.has(element.dataset.place)) return;
    event.preventDefault();
    onClick(element.dataset.place, element, event);
  });
  return { show, drawn, point };
}
