"use strict";
// The board: items of the picture as the server draws them, and over them what is chosen, wrong, or being dragged.
function makeBoard(app, buttons) {
  const SVG = "http://www.w3.org/2000/svg";
  const LAYERS = ["ground", "areas", "borders", "links", "names", "marks", "pieces", "tables", "faults"];
  const draw = (tag, attributes = {}) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    return node;
  };
  const svg = draw("svg", { viewBox: "0 0 1036 736", tabindex: 0, role: "application",
    "aria-label": "Board of the map" });
  const paper = draw("rect", { width: "100%", height: "100%", fill: "#fff" });
  const layers = new Map(LAYERS.map((name) => [name, draw("g", { "data-layer": name })]));
  const marks = draw("g", { class: "marks" }), overlay = draw("g", { class: "overlay" });
  svg.append(paper, ...layers.values(), marks, overlay);
  element("sheet").append(svg);
  const zoom = makeZoom(svg, buttons);
  const items = new Map();
  let size = [1036, 736];

  function put(id, [layer, text]) {
    const group = items.get(id) ?? draw("g", { "data-item": id });
    group.innerHTML = text;  // drawn by Rulespec
    if (group.parentNode !== layers.get(layer)) layers.get(layer).append(group);
    items.set(id, group);
  }

  function arrange(order) {
    const last = new Map();
    for (const id of order) {
      const node = items.get(id), after = last.get(node.parentNode);
      if ((after ? after.nextSibling : node.parentNode.firstChild) !== node)
        node.parentNode.insertBefore(node, after ? after.nextSibling : node.parentNode.firstChild);
      last.set(node.parentNode, node);
    }
  }

  function take(picture) {
    if (picture.whole) {
      for (const node of items.values()) node.remove();
      items.clear();
    }
    for (const [id, value] of Object.entries(picture.items)) {
      if (value) put(id, value);
      else {
        items.get(id)?.remove();
        items.delete(id);
      }
    }
    if (picture.order) arrange(picture.order);
    for (const [id, node] of items)  // what was dragged is now where it belongs
      if (node.hasAttribute("transform") && id !== `name.${app.shifted}`) node.removeAttribute("transform");
    if (picture.size[0] !== size[0] || picture.size[1] !== size[1] || picture.whole) {
      size = picture.size;
      zoom.resize(...size);
    }
    paper.setAttribute("width", size[0]);
    paper.setAttribute("height", size[1]);
    mark();
  }

  const placeOf = (name) => svg.querySelector(`[data-place="${app.state.form?.kind}.${CSS.escape(name)}"]`);
  function shapeOf(name, looks) {
    const shape = placeOf(name)?.querySelector("path, rect");
    if (!shape) return null;
    const copy = shape.cloneNode(false);
    for (const each of ["fill", "stroke", "style"]) copy.removeAttribute(each);
    copy.setAttribute("class", looks);
    return copy;
  }

  // Marks of what is wrong, of what comes from elsewhere, and of what is chosen.
  function mark() {
    const own = (app.state.faults ?? []).filter((each) => each.own);
    const wrong = new Set(own.flatMap((each) => each.regions.slice(0, 1)));
    const shapes = [];
    for (const region of app.state.regions) {
      if (!region.own) shapes.push(shapeOf(region.name, "base"));
      if (wrong.has(region.name)) shapes.push(shapeOf(region.name, "wrong"));
    }
    for (const name of app.selection) shapes.push(shapeOf(name, "chosen"));
    marks.replaceChildren(...shapes.filter(Boolean));
  }

  const pointOf = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [point.x, point.y];
  };
  // Points of the sheet and places in the map's own units.
  const toBoard = ([x, y]) => {
    const { frame, scale, corner } = app.picture;
    return [Math.round(frame[0] + (x - corner[0]) / scale), Math.round(frame[1] + (y - corner[1]) / scale)];
  };
  const toSheet = ([x, y]) => {
    const { frame, scale, corner } = app.picture;
    return [corner[0] + (x - frame[0]) * scale, corner[1] + (y - frame[1]) * scale];
  };

  return {
    svg, overlay, draw, take, mark, pointOf, toBoard, toSheet,
    regionAt(event) {
      const under = document.elementFromPoint(event.clientX, event.clientY);
      const label = under?.closest?.("[data-item^='name.']");
      if (label) return label.dataset.item.slice(5);
      const place = under?.closest?.("[data-place]")?.dataset.place ?? "";
      const kind = `${app.state.form?.kind}.`;
      return place.startsWith(kind) ? place.slice(kind.length) : "";
    },
    labelAt: (event) => event.target.closest?.("[data-item^='name.']")?.dataset.item.slice(5) ?? "",
    label: (name) => items.get(`name.${name}`),
    show(name) {
      const spot = app.picture?.spots[name];
      if (spot) zoom.centre(...spot);
    },
  };
}
