"use strict";
// The moves since the last decision of who looks on: as sentences, the newest first, and on the boards as arrows and marks.
// The newest move of all is a line of `latest`, in the panel that stays in sight.
const NEWS = 12, LATEST = 3;
const NAME = [17, 14];  // where the disc of a panel is, before its name

function makeNews(box, latest, root, word, plan, seats) {
  const list = box.querySelector("ol"), SVG = "http://www.w3.org/2000/svg";
  let moves = [], picked = null;

  // The middle of where pieces stand at a place, of a place with trays that of its name; null if it is not drawn.
  // Some boards have other places for each seat: that of the owner of the pieces counts.
  function middle(place, owner) {
    const own = owner && [...root.querySelectorAll("figure [data-places]")].find((each) => each.dataset.places.split(" ")[seats.indexOf(owner)] === place);
    const element = own || root.querySelector(`figure [data-place="${CSS.escape(place)}"]`);
    if (!element) return null;
    const [kind, ...rest] = place.split("."), board = plan.boards.find((each) => each.kind === kind);
    const n = own ? -1 : plan.kinds[kind].names.indexOf(rest.join(".")), stand = board?.stands[n]?.[0];
    const { x, y, width, height } = element.getBBox(), [left, top] = NAME;
    if (Object.keys(board?.copies ?? {}).length) return { svg: element.ownerSVGElement, x: x + left, y: y + top };
    const slot = board?.slots[n];
    const at = stand?.[1].length ? stand[1] : slot ? [(slot[0] + slot[2]) / 2, (slot[1] + slot[3]) / 2] : [x + width / 2, y + height / 2];
    return { svg: element.ownerSVGElement, x: at[0], y: at[1] };
  }
  function add(svg, name, values, strong) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
    made.setAttribute("class", strong ? "mark strong" : "mark");
    svg.append(made);
  }
  function arrow(from, to, strong) {
    const [dx, dy] = [to.x - from.x, to.y - from.y], far = Math.hypot(dx, dy) || 1, [ux, uy] = [dx / far, dy / far];
    const scale = from.svg.getScreenCTM()?.a || 1, head = 9 / scale, end = [to.x - ux * 6 / scale, to.y - uy * 6 / scale];
    const wing = (side) => `${end[0] - ux * head + uy * side * head * 0.6} ${end[1] - uy * head - ux * side * head * 0.6}`;
    add(from.svg, "path", { d: `M${from.x} ${from.y}L${end.join(" ")}M${wing(1)}L${end.join(" ")}L${wing(-1)}` }, strong);
  }
  function clear() {
    for (const each of root.querySelectorAll(".mark")) each.remove();
    for (const each of root.querySelectorAll("tr.told")) each.classList.remove("told");
  }
  function draw() {
    clear();
    for (const move of picked ? [picked] : moves) {
      for (const [source, target, owner] of (move.marks ?? []).map((mark) => mark.split(">"))) {
        const from = source && middle(source, owner), to = target && middle(target, owner);
        if (from && to && from.svg === to.svg) arrow(from, to, move === picked);
        else for (const end of [from, to]) if (end) add(end.svg, "circle", { cx: end.x, cy: end.y, r: 14 / (end.svg.getScreenCTM()?.a || 1) }, move === picked);
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

  latest.addEventListener("click", () => (box.hidden ? document.getElementById("moves") : box).scrollIntoView({ block: "nearest" }));
  // The newest moves since the last decision, or that one.
  function showLatest(last) {
    const told = moves.length ? moves : last ? [last] : [];
    latest.hidden = !told.length;
    const runs = [];  // equal sentences one after another are said once: `? is drawn ×5`
    for (const { text } of told) {
      if (runs.at(-1)?.text === text) runs.at(-1).number++;
      else runs.push({ text, number: 1 });
    }
    const said = runs.slice(0, LATEST), texts = said.map(({ text, number }) => (number > 1 ? `${text} ×${number}` : text));
    const more = told.length - said.reduce((sum, { number }) => sum + number, 0);
    if (more) texts.push(word("and_more", { number: more }));
    latest.textContent = word("table_latest", { what: texts.join(" · ") });
  }

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
