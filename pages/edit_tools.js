"use strict";
// The tools of the board. A tool has a name, a letter and a title; `start` takes a press of the pointer (true: it
// drags), `move` and `end` follow, `key` takes a key on the board (true: it was for it), `stop` gives up; if it has
// them, `hover` takes the pointer without a press, `keyup` a key that is let go, and `shown` what has changed.
// All get the host below.
const TOOLS = [];

{
  const FAR = 4;  // pixels that a press may move and still be a click
  const moved = (drag, event) => Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > FAR;

  function line(host, from, to) {
    const node = host.overlay.querySelector(".link") ?? host.draw("line", { class: "link" });
    const [x1, y1] = host.spot(from), [x2, y2] = to;
    for (const [name, value] of Object.entries({ x1, y1, x2, y2 })) node.setAttribute(name, value);
    host.overlay.append(node);
  }

  function choose(host, name, event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) host.toggle(name);
    else host.select([name]);
  }

  // Selects; a label that is dragged is moved, and a drag from one region to another is a link.
  let drag = null, by = null, waiting = 0;
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function step(event, host) {
    const name = host.selection[0], region = host.region(name);
    if (!(event.key in STEPS) || !region?.own || !region.place) return false;
    const [dx, dy] = STEPS[event.key].map((each) => each * (event.shiftKey ? 10 : 1));
    by = by?.name === name ? { name, x: by.x + dx, y: by.y + dy } : { name, x: dx, y: dy };
    host.shift(name, [by.x * host.scale, by.y * host.scale]);
    clearTimeout(waiting);
    waiting = setTimeout(() => {  // steps in a row are one move
      const { x, y } = by;
      by = null;
      host.move(name, [region.place[0] + x, region.place[1] + y]);
    }, 300);
    return true;
  }

  TOOLS.push({
    name: "select", letter: "V", title: "Select, move labels, drag links",
    start(event, host) {
      const label = host.labelAt(event), name = label || host.regionAt(event);
      if (!name) return false;
      const moves = label && host.region(label)?.own;
      drag = { name, moves, x: event.clientX, y: event.clientY, at: host.point(event), far: false };
      return true;
    },
    move(event, host) {
      if (!drag || (!drag.far && !moved(drag, event))) return;
      drag.far = true;
      const [x, y] = host.point(event);
      if (drag.moves) host.shift(drag.name, [x - drag.at[0], y - drag.at[1]]);
      else line(host, drag.name, [x, y]);
    },
    end(event, host) {
      const { name, moves, at, far } = drag;
      drag = null;
      host.overlay.replaceChildren();
      if (!far) return choose(host, name, event);
      if (moves) {
        const [x, y] = host.point(event), spot = host.spot(name);
        return host.move(name, host.toBoard([spot[0] + x - at[0], spot[1] + y - at[1]]));
      }
      const other = host.regionAt(event);
      if (other && other !== name) host.link(name, other);
    },
    key: step,
    stop(host) {
      if (drag) host.shift(drag.name, null);
      drag = null;
      host.overlay.replaceChildren();
    },
  });

  TOOLS.push({
    name: "add", letter: "A", title: "Add a region where you click",
    start: () => true,
    move() {},
    end(event, host) { host.add(host.toBoard(host.point(event))); },
    key: () => false,
    stop() {},
  });

  let from = "";
  TOOLS.push({
    name: "link", letter: "L", title: "Link two regions: click one, then the other",
    start: (event, host) => Boolean(host.regionAt(event)),
    move() {},
    end(event, host) {
      const name = host.regionAt(event);
      if (from && name && name !== from) {
        host.link(from, name);
        from = "";
      } else {
        from = name;
        if (name) host.select([name]);
        host.say(name ? `link from ${name}: click the other region` : "");
      }
    },
    key: () => false,
    stop() { from = ""; },
  });
}

// Buttons and letters that choose a tool, and the pointer on the board.
function makeTools(app, board) {
  let tool = TOOLS[0], busy = false, space = false;
  const host = {
    overlay: board.overlay, draw: board.draw,
    get selection() { return app.selection; },
    get scale() { return app.picture.scale; },
    region: app.region,
    regionAt: board.regionAt, labelAt: board.labelAt,
    point: board.pointOf, toBoard: board.toBoard, toSheet: board.toSheet,
    spot: (name) => app.picture.spots[name],
    shift: (name, by) => {
      app.shifted = by ? name : "";
      if (by) board.label(name)?.setAttribute("transform", `translate(${by[0]} ${by[1]})`);
      else board.label(name)?.removeAttribute("transform");
    },
    select: app.select, toggle: app.toggle, add: app.add, link: app.link, edit: app.edit, say: app.say,
    move(name, at) {
      app.shifted = "";
      return app.move(name, at);
    },
    get state() { return app.state; },
    get picture() { return app.picture; },
  };
  const buttons = new Map(TOOLS.map((each) => [each, makeButton(each.title.split(":")[0].split(",")[0], () => use(each),
    { title: `${each.title} (${each.letter})` })]));
  element("tools").append(...buttons.values());

  function use(next) {
    tool.stop(host);
    tool = next;
    for (const [each, button] of buttons) button.setAttribute("aria-pressed", each === tool);
    board.svg.dataset.tool = tool.name;
    tool.shown?.(host);
  }

  const svg = board.svg;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary || space || !app.picture) return;
    svg.focus({ preventScroll: true });
    if (!tool.start(event, host)) return;
    busy = true;
    event.stopImmediatePropagation();  // the board is not dragged along
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
  }, { capture: true });
  svg.addEventListener("pointermove", (event) => {
    if (busy) tool.move(event, host);
    else tool.hover?.(event, host);
  });
  svg.addEventListener("pointerup", (event) => {
    if (!busy) return;
    busy = false;
    tool.end(event, host);
    app.dropped();
  });
  svg.addEventListener("pointercancel", () => stop());
  svg.addEventListener("click", (event) => { if (!board.regionAt(event) && tool.name === "select") app.select([]); });

  function stop() {
    busy = false;
    tool.stop(host);
    app.dropped();
  }

  svg.addEventListener("keydown", (event) => {
    if (event.key === " ") space = true;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = TOOLS.find((each) => each.letter.toLowerCase() === event.key.toLowerCase());
    if (tool.key(event, host)) event.stopPropagation();
    else if (event.key === "Escape") stop();
    else if (letter) use(letter);
    else if (event.key === "Insert") app.add();
    else if (event.key === "Delete") app.remove();
    else if (event.key === "Enter") app.form.focus();
    else return;
    event.preventDefault();
  });
  svg.addEventListener("keyup", (event) => {
    if (event.key === " ") space = false;
    tool.keyup?.(event, host);
  });
  svg.addEventListener("blur", () => { space = false; });
  use(tool);
  return {
    get busy() { return busy; },
    shown: () => tool.shown?.(host),
  };
}
