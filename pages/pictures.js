"use strict";
// A board that follows a table. `draw` gives the items of a state: {id, layer, svg}, in the order in which they lie.
function makePicture(svg, draw) {
  const layers = new Map([...svg.querySelectorAll("[data-layer]")].map((layer) => [layer.dataset.layer, layer]));
  const drawn = new Map();
  let marked = [], shown = new Map();

  function place(id, layer, drawing, before) {
    let group = drawn.get(id);
    if (!group) {
      group = document.createElementNS("http://www.w3.org/2000/svg", "g");
      group.dataset.item = id;
      drawn.set(id, group);
      const home = layers.get(layer), under = drawn.get(before);
      if (under && under.parentNode === home) under.after(group);
      else if (before) home.append(group);
      else home.prepend(group);
    }
    group.innerHTML = drawing;  // drawn by Rulespec, never a stranger's
    return group;
  }

  // Shows a state and a roll; `whole`: there is nothing before it. What differs is marked until the next change.
  return function show(state, whole, roll) {
    for (const each of marked) each.classList.remove("changed");
    marked = [];
    const items = new Map(), last = {};
    for (const { id, layer, svg: drawing } of draw(state, roll)) {
      items.set(id, drawing);
      if (shown.get(id) !== drawing) marked.push(place(id, layer, drawing, last[layer]));
      last[layer] = id;
    }
    for (const id of shown.keys()) {
      if (items.has(id)) continue;
      drawn.get(id).remove();
      drawn.delete(id);
    }
    shown = items;
    if (!whole) for (const each of marked) each.classList.add("changed");
  };
}

// Rings around places of a board: those that can be clicked, and those that have been.
// `seat` gives the number of the seat that looks at it: some boards have other places for each.
function makePlaces(svg, titles, onClick, seat = () => 0) {
  const rings = document.createElementNS("http://www.w3.org/2000/svg", "g");
  rings.id = "rings";
  svg.append(rings);
  const SNAP = 40, MOVED = 6;
  let lit = new Set(), down = null;

  const all = () => [...svg.querySelectorAll("[data-place]")];
  function drawn() {
    turn();
    return new Set(all().map((each) => each.dataset.place));
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
    made.setAttribute("class", className);
    rings.append(made);
  }

  function turn() {
    const number = Math.max(seat(), 0);
    for (const element of svg.querySelectorAll("[data-places]")) {
      const place = element.dataset.places.split(" ")[number] ?? "-";
      if (place === "-") delete element.dataset.place;
      else element.dataset.place = place;
    }
  }

  function show(places, clicked) {
    turn();
    lit = new Set(places);
    rings.replaceChildren();
    for (const element of all()) {
      const place = element.dataset.place, on = lit.has(place);
      element.classList.toggle("lit", on);
      if (on) {
        element.setAttribute("tabindex", "0");
        element.setAttribute("role", "button");
        element.setAttribute("aria-label", titles(place));
      } else if (element.getAttribute("role") === "button") {
        for (const name of ["tabindex", "role", "aria-label"]) element.removeAttribute(name);
      }
      if (on) ring(element, "lit");
      if (clicked.includes(place)) ring(element, "clicked");
    }
  }

  // The lit place at a point, under whatever stands there; else the nearest one that a finger may have meant.
  function meant(x, y) {
    for (const element of document.elementsFromPoint(x, y)) {
      const place = element.closest("[data-place]");
      if (place && svg.contains(place) && lit.has(place.dataset.place)) return place;
    }
    let best = null, least = SNAP;
    for (const element of svg.querySelectorAll("[data-place].lit")) {
      const box = element.getBoundingClientRect();
      const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (far < least) [best, least] = [element, far];
    }
    return best;
  }

  svg.addEventListener("pointerdown", (event) => { down = event; });
  svg.addEventListener("click", (event) => {
    if (down && Math.hypot(down.clientX - event.clientX, down.clientY - event.clientY) > MOVED) return;
    const element = meant(event.clientX, event.clientY);
    onClick(element ? element.dataset.place : null, element);
  });
  svg.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    const element = event.target.closest("[data-place].lit");
    if (!element) return;
    event.preventDefault();
    onClick(element.dataset.place, element);
  });
  return { show, drawn };
}
