// The tool that edits outlines on a board, by pointer and by keys. It asks for changes, and changes nothing itself.
//
// host: {
//   outlines      the board as the server sends it: {frame, outlines, scenery, fixed}; the latest, whenever it is read
//   selection     the names of the regions that are chosen, the first one first
//   toBoard(event) the place of a pointer, [x, y] in the numbers of outlines
//   send(op)      asks for an edit: {op: "move_point", at, to, snap} and the others of `rulespec edit`; a promise that
//                 is fulfilled when `outlines` is what it is after that, whether the edit has been made or refused
//   overlay       a <g> in the numbers of outlines, to draw in
//   say(text)     says something to who cannot see it, and to who can
// }
// Each handler answers whether the event was one for the tool; the page does with all others what it does without it.
// The page calls `show()` after the outlines, the selection or the zoom have changed; a drag and a drawing go on.
import {
  atFrame, distance, edges, follow, inFrame, inserted, moved, nearestEdge, nearestPoint, owners, pathOf, rounded, same,
  snap,
} from "./outline_geometry.js";

const REACH = 8, STILL = 3;  // pixels: how near is meant, and how far a click may slip
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const WORDS = {
  move_point: ({ at, to }) => [at, to],
  insert_point: ({ edge, to }) => [...edge, to],
  remove_point: ({ at }) => [at],
  detach_point: ({ region, at, to }) => [region, at, to],
  draw_outline: ({ region, points }) => [region, ...points],
  remove_outline: ({ region }) => [region],
};
const SVG = "http://www.w3.org/2000/svg";

// An edit as the words that `rulespec edit --do` takes.
export const wordsOf = (op) => [
  op.op, ...WORDS[op.op](op).map(String), ...(op.snap ? [`snap=${op.snap}`] : []),
];

export function makeOutlineTool(host) {
  let chosen = null;   // the point that keys move
  let before = null;   // where it was before the last edit, in case that is refused
  let drag = null;     // {from, edge, to, start, only, far}: a point on its way, or one that is new in an edge
  let nudge = null;    // {from, to}: a point that arrow keys have moved since they went down
  let alone = false;   // whether the next nudge detaches
  let drawing = null;  // {region, points, cursor, from}; Tab begins at `from` before there is a point
  let aim = null;      // what the pointer is at: {point, kind}
  let waiting = 0;     // edits that are not answered yet
  let leaving = false; // whether the next Tab leaves the board

  host.overlay.setAttribute("pointer-events", "none");  // what lies below is what is clicked

  const region = () => host.selection[0] ?? null;
  const unit = () => 1 / (Math.abs(host.overlay.getScreenCTM()?.a) || 1);
  const reach = () => REACH * unit();
  const at = (place, event, from = null) => (event.altKey
    ? { point: rounded(inFrame(host.outlines.frame, place, from)), kind: "free" }
    : snap(host.outlines, place, reach(), from));
  const named = ([x, y]) => `${x}, ${y}`;

  async function ask(op) {
    waiting++;
    show();
    try {
      await host.send(op);
    } finally {
      waiting--;
      show();
    }
  }

  // --- a point of an outline

  // The chosen region if it has a point, else null.
  const ownerOf = (point) => (owners(host.outlines, point).includes(region()) ? region() : null);

  function choose(point) {
    [chosen, before, alone] = [point, null, false];
    if (point) host.say(`point ${named(point)} of ${owners(host.outlines, point).join(", ")}`);
    show();
  }

  // A point goes to another place: in all outlines that have it, or in one.
  function move(from, { point, kind }, only) {
    if (same(from, point)) return;
    const near = { snap: kind === "edge" ? 1 : 0 };  // the server finds the edge whose place was rounded
    [chosen, before] = [point, from];
    if (only) ask({ op: "detach_point", region: only, at: from, to: point, ...near });
    else ask({ op: "move_point", at: from, to: point, ...near });
  }

  function insert(edge, point) {
    [chosen, before] = [point, null];
    ask({ op: "insert_point", edge, to: point });
  }

  // The points of the chosen region, in their order.
  const ofRegion = () => (host.outlines.outlines[region()] ?? []).flat();

  function next(step) {
    if (leaving) return leaving = false;
    const points = ofRegion(), number = chosen ? points.findIndex((point) => same(point, chosen)) : -1;
    const to = number < 0 ? (step > 0 ? 0 : points.length - 1) : number + step;
    if (!points[to]) return false;  // after the last one the focus goes on
    choose(points[to]);
    return true;
  }

  function insertAfter() {
    for (const ring of host.outlines.outlines[region()] ?? []) {
      const i = ring.findIndex((point) => chosen && same(point, chosen));
      if (i < 0) continue;
      const edge = [ring[i], ring[(i + 1) % ring.length]];
      const middle = rounded([(edge[0][0] + edge[1][0]) / 2, (edge[0][1] + edge[1][1]) / 2]);
      if (!edge.some((point) => same(point, middle))) return insert(edge, middle);
    }
    return host.say("first choose a point with Tab: the new one comes after it");
  }

  // Ends a row of arrow keys: it is one edit.
  function settle() {
    if (!nudge) return;
    const { from, to } = nudge, only = alone ? ownerOf(from) : null;
    [nudge, alone] = [null, false];
    move(from, { point: to, kind: "free" }, only);
  }

  // --- a new outline

  function draw() {
    const name = region();
    if (!name) host.say("first choose the region whose outline you want to draw");
    else if ((host.outlines.fixed ?? []).includes(name)) host.say(`${name} comes from the base: its outline stays`);
    else {
      const [left, top, width, height] = host.outlines.frame ?? [0, 0, 0, 0];
      drawing = { region: name, points: [], cursor: chosen ?? rounded([left + width / 2, top + height / 2]) };
      host.say(`drawing ${name}: click, or arrows and Space; Enter closes, Backspace undoes, Escape cancels`);
    }
    [drag, nudge, aim] = [null, null, null];
    show();
  }

  function add(point) {
    const { points } = drawing;
    drawing.cursor = point;
    if (points.length > 2 && same(point, points[0])) close();
    else if (!points.length || !same(point, points.at(-1))) {
      points.push(point);
      host.say(`point ${points.length}: ${named(point)}`);
      show();
    }
  }

  async function close() {
    if (drawing.points.length < 3) {
      host.say("an outline needs at least three points");
      return;
    }
    const closed = drawing, rings = () => host.outlines.outlines[closed.region]?.length ?? 0, number = rings();
    drawing = null;
    await ask({ op: "draw_outline", region: closed.region, points: closed.points, snap: 1 });
    if (rings() === number && !drawing) drawing = closed;  // it has been refused: nothing that was drawn is lost
    show();
  }

  // Adds the border of a neighbour from the last point to where the pointer or the cursor is.
  function followBorder(longer) {
    const from = drawing.points.at(-1), to = aim?.point ?? drawing.cursor;
    const way = from && follow(host.outlines, from, to, longer);
    if (way) for (const point of way) add(point);
    else host.say("a border is followed from the last point to another one of the same outline");
  }

  // The points of the board, the nearest to the last one drawn first: Tab goes through them.
  function nextNear(step) {
    const start = drawing.points.at(-1) ?? drawing.from ?? (drawing.from = drawing.cursor);
    const all = new Map([...edges(host.outlines)].map(([point]) => [String(point), point]));
    const points = [...all.values()].sort((p, q) => distance(p, start) - distance(q, start));
    const number = points.findIndex((point) => same(point, drawing.cursor)) + step;
    if (!points[number]) return false;
    drawing.cursor = points[number];
    aim = null;
    host.say(`point ${named(drawing.cursor)} of ${owners(host.outlines, drawing.cursor).join(", ")}`);
    show();
    return true;
  }

  // --- the pointer

  function pointerdown(event) {
    if (event.button) return false;
    settle();
    const place = host.toBoard(event);
    if (drawing) {
      const { points } = drawing;
      const closing = points.length > 2 && distance(points[0], place) <= reach();
      add(closing ? points[0] : at(place, event).point);
      return true;
    }
    let point = nearestPoint(shownBoard(), place, reach());
    const near = point || !host.outlines.outlines[region()] ? null : nearestEdge(shownBoard(), place, reach());
    if (near?.edge.some((end) => same(end, near.point))) ({ point } = near);
    if (!point && !near) return false;
    const edge = point ? null : near.edge;
    const to = { point: point ?? near.point, kind: "free" };
    drag = { from: point, edge, to, start: event, only: null, far: false };
    host.overlay.ownerSVGElement?.setPointerCapture(event.pointerId);  // so that it goes on beside the board
    choose(drag.to.point);
    return true;
  }

  function pointermove(event) {
    const place = host.toBoard(event);
    if (drag) {
      drag.far ||= Math.hypot(event.clientX - drag.start.clientX, event.clientY - drag.start.clientY) > STILL;
      drag.only = event.shiftKey && drag.from ? ownerOf(drag.from) : null;
      if (drag.far) drag.to = at(place, event, drag.from);
      if (drag.edge) drag.to = { ...drag.to, point: newPlace(drag.edge, drag.to.point) };
    } else aim = at(place, event);
    if (drawing) drawing.cursor = aim.point;
    show();
    return Boolean(drag || drawing);
  }

  // A new point of an edge at the frame stays on it.
  function newPlace([a, b], point) {
    const along = atFrame(host.outlines.frame, a).map((on, i) => on && a[i] === b[i]);
    return point.map((value, i) => (along[i] ? a[i] : value));
  }

  function pointerup(event) {
    if (!drag) return Boolean(drawing);
    pointermove(event);
    const { from, edge, to, only, far } = drag;
    drag = null;
    if (edge) insert(edge, to.point);
    else if (far && event.shiftKey && !only) host.say("first choose the region whose point you want to detach");
    else if (far) move(from, to, only);
    show();
    return true;
  }

  // --- keys

  function key(event) {
    if (event.ctrlKey || event.metaKey) return false;
    const used = pressed(event);
    if (used) event.preventDefault();
    return used;
  }

  function pressed(event) {
    const { key: name, shiftKey } = event, arrow = ARROWS[name], letter = name.toLowerCase();
    if (name === "Escape") return giveUp();
    if (!arrow && name !== "Shift" && name !== "Alt") settle();
    if (drag) return false;
    if (arrow) return step(arrow, shiftKey ? 10 : 1);
    if (drawing) return drawn(event);
    if (name === "Tab") return next(shiftKey ? -1 : 1);
    const commands = { n: draw, i: insertAfter, d: detach, delete: shiftKey ? removeAll : remove };
    if (!Object.hasOwn(commands, letter) || event.altKey) return false;
    commands[letter]();
    return true;
  }

  function drawn({ key: name, shiftKey, altKey }) {
    if (name === "Tab") return nextNear(shiftKey ? -1 : 1);
    if (name === "Enter") close();
    else if (name === " ") add(at(drawing.cursor, { altKey }).point);
    else if (name.toLowerCase() === "f") followBorder(shiftKey);
    else if (name === "Backspace" || name === "Delete") {
      const point = drawing.points.pop();
      host.say(point ? `without point ${named(point)}` : "there is no point to take back");
    } else return false;
    if (drawing) show();
    return true;
  }

  function step([dx, dy], size) {
    const from = drawing ? drawing.cursor : (nudge?.to ?? chosen);
    if (!from) return false;
    const place = [from[0] + dx * size, from[1] + dy * size];
    if (drawing) {
      drawing.cursor = inFrame(host.outlines.frame, place);
      aim = null;
    } else nudge = { from: nudge?.from ?? from, to: inFrame(host.outlines.frame, place, nudge?.from ?? from) };
    show();
    return true;
  }

  function detach() {
    const owner = chosen && ownerOf(chosen);
    alone = Boolean(owner);
    host.say(owner ? `the arrow keys move only the point of ${owner}` : "first choose a point of the region with Tab");
  }

  // Removes the chosen point.
  async function remove() {
    if (!chosen) {
      host.say("first choose a point, with Tab or a click");
      return;
    }
    const point = chosen, points = ofRegion(), number = points.findIndex((each) => same(each, point));
    chosen = null;
    await ask({ op: "remove_point", at: point });
    if (owners(host.outlines, point).length) chosen = point;  // it has been refused
    else chosen = number > 0 ? points[number - 1] : null;
    show();
  }

  // Removes the whole outline of the chosen region.
  function removeAll() {
    if (!host.outlines.outlines[region()]) host.say("first choose a region that has an outline");
    else {
      choose(null);
      ask({ op: "remove_outline", region: region() });
    }
  }

  function giveUp() {
    leaving = true;
    if (!drag && !nudge && !drawing) return false;
    host.say(drag || nudge ? "the point stays where it was" : "the drawing is cancelled");
    if (drag) chosen = drag.from;
    else if (!nudge) drawing = null;
    [drag, nudge] = [null, null];
    show();
    return true;
  }

  function keyup(event) {
    if (!(event.key in ARROWS) || !nudge) return false;
    settle();
    return true;
  }

  // --- what is shown

  // The board of the chosen region alone; of all if none is chosen.
  function shownBoard() {
    const rings = host.outlines.outlines[region()];
    return rings ? { ...host.outlines, outlines: { [region()]: rings }, scenery: {} } : host.outlines;
  }

  function element(name, className, numbers) {
    const result = document.createElementNS(SVG, name);
    result.setAttribute("class", className);
    for (const [key_, value] of Object.entries(numbers)) result.setAttribute(key_, value);
    host.overlay.append(result);
  }

  const dot = (className, [cx, cy], pixels) => element("circle", className, {
    cx, cy, r: pixels * unit(), fill: "currentColor",
  });
  const line = (className, rings, closed) => element("path", className, {
    d: pathOf(rings, closed), fill: "none", stroke: "currentColor", "vector-effect": "non-scaling-stroke",
  });

  function show() {
    if (!waiting && !drag && !nudge && chosen && !owners(host.outlines, chosen).length) {
      chosen = before && owners(host.outlines, before).length ? before : null;  // the edit has been refused
    }
    host.overlay.replaceChildren();
    if (host.outlines.outlines[region()]) {
      line("outline-chosen", host.outlines.outlines[region()]);
      for (const point of ofRegion()) dot("outline-point", point, 3);
    }
    const change = drag?.far || drag?.edge ? drag : nudge && { from: nudge.from, to: { point: nudge.to }, only: null };
    if (change) {
      const only = nudge && alone ? ownerOf(nudge.from) : change.only;
      const changed = change.edge ? inserted(host.outlines, change.edge, change.to.point)
        : moved(host.outlines, change.from, change.to.point, only);
      for (const [, rings] of changed) line("outline-preview", rings);
      dot("outline-point outline-current", change.to.point, 5);
    } else if (chosen) dot("outline-point outline-current", chosen, 5);
    if (drawing) {
      line("outline-preview", [[...drawing.points, drawing.cursor]], false);
      for (const point of drawing.points) dot("outline-point", point, 3);
      dot("outline-cursor", drawing.cursor, 5);
    }
    if (aim && aim.kind !== "free" && !drag) dot(`outline-aim outline-${aim.kind}`, aim.point, 6);
  }

  return {
    pointerdown, pointermove, pointerup, pointercancel: giveUp, key, keyup, show, draw,
    // What is under way, for the page's own words and buttons.
    get state() {
      return { chosen: nudge?.to ?? chosen, drawing: drawing?.points ?? null, dragging: Boolean(drag) };
    },
  };
}
