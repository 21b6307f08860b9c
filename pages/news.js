"use strict";
// The moves since the last decision of who looks on: as sentences, the newest first, and on the boards as arrows and marks.
// The newest move of all is a line of `latest`, in the panel that stays in sight.
const NEWS = 12, LATEST = 3, LINES = 3;
const RING = 14, LEAST_RING = 8;  // pixels: the radius of a ring around a piece

function makeNews(box, latest, root, word, middle) {
  const list = box.querySelector("ol"), SVG = "http://www.w3.org/2000/svg";
  const drawn = new Set();
  let moves = [], picked = null, told = [], wide = 0;

  // A frame around a name, or a ring around a piece.
  function around({ svg, x, y, size, frame }, strong) {
    const scale = svg.getScreenCTM()?.a || 1, pixels = Math.max(LEAST_RING, Math.min(RING, size * 0.7 + 2));
    if (frame) add(svg, "rect", frame, strong, true);
    else add(svg, "circle", { cx: x, cy: y, r: pixels / scale }, strong);
  }
  // The point where a line to another place leaves the frame around a name; the place itself if it has none.
  function edge({ x, y, frame }, other) {
    if (!frame) return { x, y };
    const [dx, dy] = [other.x - x, other.y - y], far = Math.max(Math.abs(dx) * 2 / frame.width, Math.abs(dy) * 2 / frame.height, 1);
    return { x: x + dx / far, y: y + dy / far };
  }
  // A mark that is there already is drawn once; between panels `below` their names.
  function add(svg, name, values, strong, below) {
    const key = [svg.closest("figure")?.dataset.panel, name, ...Object.values(values)].join(" ");
    if (drawn.has(key)) return;
    drawn.add(key);
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    made.setAttribute("class", strong ? "mark strong" : "mark");
    svg.insertBefore(made, below ? svg.querySelector(":scope > :is(.names, [data-layer=names])") : null);
  }
  function arrow(source, target, strong) {
    const from = edge(source, target), to = edge(target, source), scale = source.svg.getScreenCTM()?.a || 1;
    const [dx, dy] = [to.x - from.x, to.y - from.y], far = Math.hypot(dx, dy) || 1, [ux, uy] = [dx / far, dy / far];
    const gap = target.frame ? 0 : 6 / scale, end = [to.x - ux * gap, to.y - uy * gap], head = headOf([from.x, from.y], end, scale);
    add(source.svg, "path", { d: `M${from.x} ${from.y}L${end.join(" ")}${head}` }, strong, source.frame && target.frame);
    for (const each of [source, target]) if (each.frame) around(each, strong);
  }
  function clear() {
    for (const each of root.querySelectorAll(".mark")) each.remove();
    drawn.clear();
    for (const each of root.querySelectorAll("tr.told")) each.classList.remove("told");
  }
  function draw() {
    clear();
    for (const move of picked ? [picked] : moves) {
      const ways = move.ways ?? [];
      for (const way of ways) for (const [svg, d] of linesOf(way, middle)) add(svg, "path", { d }, move === picked);
      for (const [source, target, owner] of (move.marks ?? []).map((mark) => mark.split(">"))) {
        const from = source && middle(source, owner), to = target && middle(target, owner);
        const isOn = ways.some((way) => way[0] === source && way.at(-1) === target);  // what goes a way needs no other arrow
        if (from && to && from.svg === to.svg && !isOn) arrow(from, to, move === picked);
        else for (const end of [from, to]) if (end) around(end, move === picked);
        for (const place of [source, target].filter(Boolean)) root.querySelector(`tr[data-place="${CSS.escape(place)}"]`)?.classList.add("told");
      }
    }
  }

  function sentence(move) {
    const item = document.createElement("li"), open = document.createElement("button");
    open.type = "button";
    open.textContent = move.text;
    open.setAttribute("aria-pressed", "false");
    open.addEventListener("click", () => {
      picked = picked === move ? null : move;
      for (const each of list.querySelectorAll("button")) each.setAttribute("aria-pressed", String(each === open && picked === move));
      draw();
    });
    item.append(open);
    if (move.changes?.length) {
      const inner = document.createElement("ul");
      for (const text of move.changes) inner.append(Object.assign(document.createElement("li"), { textContent: text }));
      item.append(inner);
    }
    return item;
  }

  const resized = new ResizeObserver(draw);  // names have another size then
  for (const svg of root.querySelectorAll("figure > svg")) resized.observe(svg);
  latest.addEventListener("click", () => (box.hidden ? document.getElementById("moves") : box).scrollIntoView({ block: "nearest" }));
  // The newest moves since the last decision, or that one.
  function showLatest(last) {
    const all = moves.length ? moves : last ? [last] : [];
    latest.hidden = !all.length;
    const runs = [];  // equal sentences one after another are said once: `? is drawn ×5`
    for (const { text } of all) {
      if (runs.at(-1)?.text === text) runs.at(-1).number++;
      else runs.push({ text, number: 1 });
    }
    told = runs;
    fit();
  }
  // As many of them as have room in three lines, each whole; the newest one always.
  function fit() {
    for (let count = Math.min(LATEST, told.length); count; count--) {
      const said = told.slice(0, count), texts = said.map(({ text, number }) => (number > 1 ? `${text} ×${number}` : text));
      const more = told.slice(count).reduce((sum, { number }) => sum + number, 0);
      if (more) texts.push(word("and_more", { number: more }));
      latest.textContent = word("table_latest", { what: texts.join(" · ") });
      if (latest.offsetHeight < (LINES + 0.5) * parseFloat(getComputedStyle(latest).lineHeight)) break;
    }
  }
  new ResizeObserver(() => {
    if (latest.offsetWidth === wide) return;
    wide = latest.offsetWidth;
    requestAnimationFrame(fit);
  }).observe(latest);

  return {
    // `all`: number → move; `seat`: who looks on, null for spectators, who are shown the last round.
    show(all, count, seat) {
      const had = new Set(moves);
      moves = [];
      const seen = new Set();
      for (let number = count - 1; number >= 0 && all.has(number); number--) {
        const move = all.get(number);
        if (seat ? move.by === seat : move.by !== null && seen.has(move.by) && move.by !== all.get(number + 1)?.by) break;
        seen.add(move.by);
        moves.push(move);
      }
      const shown = moves.slice(0, NEWS);
      box.hidden = !shown.length;
      if (picked && !moves.includes(picked)) picked = null;
      if (shown.length !== list.children.length || shown.some((move) => !had.has(move))) list.replaceChildren(...shown.map(sentence));
      showLatest(all.get(count - 1));
      draw();
    },
    draw,
  };
}
