"use strict";
// The board closer: the part of the picture that is shown is its viewBox. A pinch, Ctrl and the wheel, buttons and the
// keys + - 0 change it; what is closer is dragged. A page that is not zoomed scrolls as ever.
// Of several boards with the same buttons, the one that `isActive` follows them; `changed` is called with each change.
function makeZoom(svg, buttons, { isActive = () => true, changed = () => {} } = {}) {
  const MOST = 12, STEP = 1.4;
  const { x: left, y: top, width, height } = svg.viewBox.baseVal;
  let [whole, tall] = [width, height];  // `viewBox.baseVal` follows what is shown
  const fingers = new Map();
  let x = left, y = top, scale = 1;

  function show() {
    const wide = whole / scale, high = tall / scale;
    x = Math.max(left, Math.min(left + whole - wide, x));
    y = Math.max(top, Math.min(top + tall - high, y));
    svg.setAttribute("viewBox", `${x} ${y} ${wide} ${high}`);
    changed();
    svg.style.touchAction = scale > 1 ? "none" : "pan-x pan-y";
    svg.style.cursor = scale > 1 ? "grab" : "";
    if (!isActive()) return;
    buttons.closer.disabled = scale >= MOST;
    buttons.farther.disabled = buttons.whole.disabled = scale <= 1;
  }

  // `across` and `down`: the point that stays, from 0 to 1 of what is shown.
  function zoom(factor, across = 0.5, down = 0.5) {
    const now = Math.max(1, Math.min(MOST, scale * factor));
    x += (whole / scale - whole / now) * across;
    y += (tall / scale - tall / now) * down;
    scale = now;
    show();
  }

  function zoomAt(factor, left, top) {
    const box = svg.getBoundingClientRect();
    zoom(factor, (left - box.left) / box.width, (top - box.top) / box.height);
  }

  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomAt(Math.exp(Math.max(-50, Math.min(50, -event.deltaY)) / 150), event.clientX, event.clientY);
  }, { passive: false });

  svg.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    if (scale > 1) svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const others = [...fingers.values()].filter((each) => each !== before);
    fingers.set(event.pointerId, event);
    const box = svg.getBoundingClientRect();
    if (others.length === 1) {
      const [other] = others;
      const far = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY) || 1;
      zoomAt(far(event) / far(before), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    } else if (!others.length && scale > 1) {
      x -= (event.clientX - before.clientX) / box.width * whole / scale;
      y -= (event.clientY - before.clientY) / box.height * tall / scale;
      show();
    }
  });
  for (const name of ["pointerup", "pointercancel"])
    svg.addEventListener(name, (event) => fingers.delete(event.pointerId));

  for (const [name, factor] of [["closer", STEP], ["farther", 1 / STEP], ["whole", 0]])
    buttons[name].addEventListener("click", () => { if (isActive()) zoom(factor); });
  const keys = { "+": STEP, "=": STEP, "-": 1 / STEP, "−": 1 / STEP, "0": 0 };
  document.addEventListener("keydown", (event) => {
    if (!isActive() || !(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("select, input[type=text], input[type=number]")) return;
    event.preventDefault();
    zoom(keys[event.key]);
  });
  show();
  return {
    // The whole has another size: what is shown stays where it is.
    resize(wide, high) {
      [whole, tall] = [wide, high];
      show();
    },
    show,
    // A box, so close that a unit has as many pixels as it needs at least.
    frame(box, least) {
      const pixels = svg.getBoundingClientRect().width / whole;
      const fits = Math.min(whole / box.width, tall / box.height);
      scale = Math.max(1, Math.min(MOST, Math.max(fits, least / pixels)));
      [x, y] = [box.x + box.width / 2 - whole / scale / 2, box.y + box.height / 2 - tall / scale / 2];
      show();
    },
    // A point is shown in the middle, if not all is shown.
    centre(left, top) {
      [x, y] = [left - whole / scale / 2, top - tall / scale / 2];
      show();
    },
  };
}
