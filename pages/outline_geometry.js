// Geometry of outlines: what is near a place, and what a change would look like. Nothing of a page is in it.
//
// A point is [x, y] in whole numbers; points with the same numbers are one. A ring is a list of points, an outline a
// list of rings; a board is `{frame, outlines: {region: rings}, scenery: {name: rings}}`, and its frame is null or
// `[left, top, width, height]`.

export const same = (p, q) => p[0] === q[0] && p[1] === q[1];

export const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);

export const rounded = ([x, y]) => [Math.round(x), Math.round(y)];

// All outlines of a board, scenery too: [section, name, rings].
export function* parts(board) {
  for (const section of ["outlines", "scenery"])
    for (const [name, rings] of Object.entries(board[section] ?? {})) yield [section, name, rings];
}

export function* edges(board) {
  for (const [, , rings] of parts(board))
    for (const ring of rings)
      for (let i = 0; i < ring.length; i++) yield [ring[i], ring[(i + 1) % ring.length]];
}

// The names of the outlines that have a point.
export const owners = (board, point) => [...parts(board)]
  .filter(([, , rings]) => rings.some((ring) => ring.some((each) => same(each, point))))
  .map(([, name]) => name);

// The nearest point of a board, at most so far away; null if there is none. `but`: a point that does not count.
export function nearestPoint(board, place, reach, but = null) {
  let best = null, least = reach;
  for (const [point] of edges(board)) {
    const far = distance(point, place);
    if (far <= least && !(but && same(point, but))) [best, least] = [point, far];
  }
  return best;
}

// The nearest edge, at most so far away: `{edge, point}` with the nearest place on it in whole numbers; null if there
// is none. Edges that end at `but` do not count.
export function nearestEdge(board, place, reach, but = null) {
  let best = null, least = reach;
  for (const [p, q] of edges(board)) {
    if (but && (same(p, but) || same(q, but))) continue;
    const dx = q[0] - p[0], dy = q[1] - p[1];
    const share = ((place[0] - p[0]) * dx + (place[1] - p[1]) * dy) / (dx * dx + dy * dy);
    if (!(share > 0 && share < 1)) continue;
    const foot = [p[0] + share * dx, p[1] + share * dy], far = distance(foot, place);
    if (far <= least) [best, least] = [{ edge: [p, q], point: rounded(foot) }, far];
  }
  return best;
}

// The sides of the frame on which a point lies: whether it may not move across, and not up or down.
export function atFrame(frame, [x, y]) {
  if (!frame) return [false, false];
  const [left, top, width, height] = frame;
  return [x === left || x === left + width, y === top || y === top + height];
}

// A place inside the frame; of a point that lies on a side of it, a place on that side.
export function inFrame(frame, [x, y], from = null) {
  if (!frame) return [x, y];
  const [left, top, width, height] = frame;
  const [across, down] = from ? atFrame(frame, from) : [false, false];
  return [
    across ? from[0] : Math.max(left, Math.min(left + width, x)),
    down ? from[1] : Math.max(top, Math.min(top + height, y)),
  ];
}

// What a place means: `{point, kind}`, where kind is "point", "edge" (then also `edge`), "frame" or "free". Points go
// before edges, edges before the frame. `from`: a point that is on its way there; one of the frame stays on its side.
export function snap(board, place, reach, from = null) {
  const free = rounded(inFrame(board.frame, place, from));
  const allowed = (point) => same(inFrame(board.frame, point, from), point);
  const point = nearestPoint(board, place, reach, from);
  if (point && allowed(point)) return { point, kind: "point" };
  const near = nearestEdge(board, place, reach, from);
  if (near && allowed(near.point)) {
    const isEnd = near.edge.some((end) => same(end, near.point));
    return isEnd ? { point: near.point, kind: "point" } : { ...near, kind: "edge" };
  }
  if (!board.frame) return { point: free, kind: "free" };
  const [left, top, width, height] = board.frame, [x, y] = place;
  const side = (value, low, high) => [low, high].find((each) => Math.abs(each - value) <= reach) ?? value;
  const at = rounded(inFrame(board.frame, [side(x, left, left + width), side(y, top, top + height)], from));
  return { point: at, kind: atFrame(board.frame, at).some(Boolean) ? "frame" : "free" };
}

// The points of a border after one of its points up to another, the shorter way or the longer one; null if no outline
// has both.
export function follow(board, from, to, longer = false) {
  let best = null, least = Infinity;
  for (const [, , rings] of parts(board))
    for (const ring of rings) {
      const begin = ring.findIndex((p) => same(p, from)), end = ring.findIndex((p) => same(p, to));
      if (begin < 0 || end < 0 || begin === end) continue;
      const around = (step) => {
        const way = [];
        for (let i = begin; i !== end;) way.push(ring[i = (i + step + ring.length) % ring.length]);
        return way;
      };
      const ways = [around(1), around(-1)].sort((a, b) => length([from, ...a]) - length([from, ...b]));
      const way = ways[longer ? 1 : 0];
      if (length([from, ...way]) < least) [best, least] = [way, length([from, ...way])];
    }
  return best;
}

export const length = (line) => line.slice(1).reduce((sum, point, i) => sum + distance(line[i], point), 0);

// The outlines that change if a point moves: [name, rings]; `only`: the region whose point is detached.
export const moved = (board, at, to, only = null) => [...parts(board)]
  .filter(([section, name, rings]) => (only === null || (section === "outlines" && name === only))
    && rings.some((ring) => ring.some((point) => same(point, at))))
  .map(([, name, rings]) => [name, rings.map((ring) => ring.map((point) => (same(point, at) ? to : point)))]);

// The outlines that change if an edge gets a point: [name, rings].
export const inserted = (board, [a, b], to) => [...parts(board)]
  .map(([, name, rings]) => [name, rings.map((ring) => ring.flatMap((p, i) => {
    const q = ring[(i + 1) % ring.length];
    return (same(p, a) && same(q, b)) || (same(p, b) && same(q, a)) ? [p, to] : [p];
  })), rings])
  .filter(([, now, before]) => now.some((ring, i) => ring.length !== before[i].length))
  .map(([name, now]) => [name, now]);

// Path data for SVG, of rings that are closed or of a line that is not.
export const pathOf = (rings, closed = true) => rings
  .filter((ring) => ring.length)
  .map((ring) => `M${ring.map(([x, y]) => `${x} ${y}`).join("L")}${closed ? "Z" : ""}`)
  .join("");
