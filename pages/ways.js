"use strict";
// Ways over the boards: the stops of a path one after another, as lines that end in an arrow.
const HEAD = 9, BESIDE = 6;  // pixels: the length of an arrow's head, and the room between two steps between the same places

// The middle of where pieces stand at a place, of a place with trays the box of its name, or its own where its name is
// too small to be read; null if it is not drawn. `size` is the width of the piece there, in pixels.
// Some boards have other places for each seat: that of the owner of the pieces counts.
function makeMiddles(root, plan, seats) {
  const ROOM = 3;  // pixels around a name
  function framed(svg, { x, y, width, height }, scale) {
    const gap = ROOM / scale, frame = { x: x - gap, y: y - gap, width: width + 2 * gap, height: height + 2 * gap, rx: 2 * gap };
    return { svg, x: x + width / 2, y: y + height / 2, frame };
  }
  return function middle(place, owner) {
    const own = owner && [...root.querySelectorAll("figure [data-places]")].find((each) => each.dataset.places.split(" ")[seats.indexOf(owner)] === place);
    const element = own || root.querySelector(`figure [data-place="${CSS.escape(place)}"]`);
    if (!element) return null;
    const svg = element.ownerSVGElement, scale = svg.getScreenCTM()?.a || 1;
    const [kind, ...rest] = place.split("."), board = plan.boards.find((each) => each.kind === kind);
    const n = own ? -1 : plan.kinds[kind].names.indexOf(rest.join(".")), stand = board?.stands[n]?.[0];
    if (Object.keys(board?.copies ?? {}).length) {
      const name = svg.querySelector(`[data-name="${CSS.escape(place)}"]`);
      return framed(svg, name && !name.querySelector("text.tiny") ? name.getBBox() : element.getBBox(), scale);
    }
    const { x, y, width, height } = element.getBBox(), slot = board?.slots[n];
    const at = stand?.[1].length ? stand[1] : slot ? [(slot[0] + slot[2]) / 2, (slot[1] + slot[3]) / 2] : [x + width / 2, y + height / 2];
    return { svg, x: at[0], y: at[1], size: (board ? stand?.[0] ?? Infinity : width) * scale };
  };
}

// The head of an arrow from one point to another, as path data; `scale` gives pixels for a unit.
function headOf([x, y], [toX, toY], scale) {
  const far = Math.hypot(toX - x, toY - y) || 1, [ux, uy] = [(toX - x) / far, (toY - y) / far], head = HEAD / scale;
  const wing = (side) => `${toX - ux * head + uy * side * head * 0.6} ${toY - uy * head - ux * side * head * 0.6}`;
  return `M${wing(1)}L${toX} ${toY}L${wing(-1)}`;
}

// The lines of a way, as board → path data. A step between places that an earlier one joined lies beside it.
function linesOf(way, middle) {
  const stops = way.map((place) => middle(place)), often = new Map(), lines = new Map();
  let last = null;
  for (let n = 1; n < stops.length; n++) {
    const [from, to] = [stops[n - 1], stops[n]], far = from && to && Math.hypot(to.x - from.x, to.y - from.y);
    if (!far || from.svg !== to.svg) continue;
    const { svg } = from, scale = svg.getScreenCTM()?.a || 1, key = [way[n - 1], way[n]].sort().join(">"), times = often.get(key) ?? 0;
    often.set(key, times + 1);
    const gap = BESIDE * times / scale, [dx, dy] = [(to.y - from.y) / far * gap, (from.x - to.x) / far * gap];
    const ends = [[from.x + dx, from.y + dy], [to.x + dx, to.y + dy]];
    lines.set(svg, `${lines.get(svg) ?? ""}M${ends[0].join(" ")}L${ends[1].join(" ")}`);
    last = { svg, ends, scale };
  }
  if (last) lines.set(last.svg, lines.get(last.svg) + headOf(...last.ends, last.scale));
  return lines;
}

// Shows the ways of an option, of a class: `meant` if it is pointed at, `clicked` for what has been chosen of one.
function makeWays(root, middle) {
  return function show(ways, className) {
    for (const each of root.querySelectorAll(`.way.${className}`)) each.remove();
    for (const way of ways) {
      for (const [svg, d] of linesOf(way, middle)) {
        const made = document.createElementNS("http://www.w3.org/2000/svg", "path");
        made.setAttribute("d", d);
        made.setAttribute("class", `way ${className}`);
        svg.append(made);
      }
    }
  };
}
