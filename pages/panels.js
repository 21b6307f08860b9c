"use strict";
// The boards of a table, each a figure: one is large, the others stand beside or below it and can change places with it.
function makePanels(board, beside, bar, word, plan, player) {
  const figures = [...board.querySelectorAll("[data-panel]")], zooms = new Map(), scales = new Map();
  const buttons = Object.fromEntries(["closer", "farther", "whole", "asked", "turn_board"].map((id) => [id, bar.querySelector(`#${id}`)]));
  const groups = new Set(figures.filter(isOwned).map(groupOf));
  let large = figures.reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one), figures[0]);
  let wanted = [], own = -1, isChosen = false;

  function sizeOf(figure) {
    const { width, height } = figure.querySelector("svg").viewBox.baseVal;
    return figure.dataset.at === "below" ? 0 : width * height;
  }
  const stored = (figure) => `turned ${figure.dataset.panel}`;

  // Boards of owners, one for each: that of the viewer comes first. On a phone, the others are folded.
  function isOwned(figure) { return Boolean(figure.dataset.of); }
  function groupOf(figure) { return figure.dataset.panel.replace(/\.\d+$/, ""); }
  const isOwn = (figure) => figure.dataset.of === player && Number(figure.dataset.number) === own;
  function inOrder() {
    const queues = new Map([...groups].map((group) => {
      const all = figures.filter((each) => isOwned(each) && groupOf(each) === group);
      return [group, [...all.filter(isOwn), ...all.filter((each) => !isOwn(each))]];
    }));
    return figures.map((each) => (isOwned(each) ? queues.get(groupOf(each)).shift() : each));
  }
  function fold(figure, is) {
    figure.classList.toggle("folded", is);
    const sign = figure.querySelector(".fold");
    sign.textContent = is ? "▸" : "▾";
    sign.setAttribute("aria-expanded", String(!is));
  }
  function ownCaption(figure, enlarge) {
    const { of, number, title } = figure.dataset, [fill, ink, letter] = plan.kinds[of].looks[number] ?? [];
    const chip = Object.assign(document.createElement("span"), { className: "chip", textContent: letter ?? "" });
    const name = Object.assign(document.createElement("span"), { textContent: plan.kinds[of].titles[number] });
    [chip.style.background, chip.style.color] = [fill ?? "", ink ?? ""];
    if (of === player) name.dataset.ownerSeat = number;
    enlarge.replaceChildren("⤢ ", ...(letter ? [chip, " "] : []), name, ...(groups.size > 1 ? [` · ${title}`] : []));
    const sign = document.createElement("button");
    Object.assign(sign, { type: "button", className: "fold" });
    sign.addEventListener("click", () => fold(figure, !figure.classList.contains("folded")));
    enlarge.before(sign);
    const named = () => sign.setAttribute("aria-label", name.textContent);
    new MutationObserver(named).observe(name, { childList: true });
    named();
    fold(figure, innerWidth <= 800);
  }

  function arrange() {
    const all = inOrder(), rest = all.filter((each) => each !== large);
    for (const group of groups) {  // the key to their letters is shown once
      const own = all.filter((each) => isOwned(each) && groupOf(each) === group), lead = own.includes(large) ? large : own[0];
      for (const each of own) each.classList.toggle("lead", each === lead);
    }
    board.replaceChildren(...(large ? [large] : []), ...rest.filter((each) => each.dataset.at === "below"));
    beside.replaceChildren(...rest.filter((each) => each.dataset.at !== "below"));
    for (const figure of figures) figure.classList.toggle("large", figure === large);
    buttons.turn_board.hidden = large?.dataset.turns !== "yes";
    for (const zoom of zooms.values()) zoom.show();
    fit();
  }

  // Texts that are too small to be read are left out, again when a board has another size.
  function fit() {
    for (const figure of figures) fitTexts(figure.querySelector("svg"));
  }
  function resized(svg) {
    const scale = svg.getScreenCTM()?.a ?? 0;
    if (scales.get(svg) === scale) return;
    scales.set(svg, scale);
    fitTexts(svg);
  }

  // The legend of a map, taken out of its lower edge: below it, it has a size of its own.
  function legendBelow(svg) {
    const entries = [...svg.querySelectorAll(".legend")], boxes = entries.map((each) => each.getBBox());
    if (!entries.length) return;
    const sizes = entries.flatMap((each) => [...each.querySelectorAll("text")]).map((text) => Number(text.getAttribute("font-size")));
    const scale = (LEAST_TEXT + 0.01) / Math.min(...sizes);
    const list = Object.assign(document.createElement("details"), { className: "legends", open: innerWidth > 800 });
    list.append(Object.assign(document.createElement("summary"), { textContent: word("table_legend") }));
    list.append(...entries.map((each, number) => {
      const own = document.createElementNS(svg.namespaceURI, "svg"), { x, y, width, height } = boxes[number];
      own.setAttribute("viewBox", `${x - 1} ${y - 1} ${width + 2} ${height + 2}`);
      own.setAttribute("font-family", svg.getAttribute("font-family"));
      Object.assign(own.style, { width: `${scale * (width + 2)}px`, height: `${scale * (height + 2)}px` });
      own.append(each);
      return own;
    }));
    svg.after(list);
    const { x, y, width } = svg.viewBox.baseVal, top = Math.min(...boxes.map((box) => box.y));
    svg.setAttribute("viewBox", `${x} ${y} ${width} ${top - y}`);
  }

  for (const figure of figures) {
    const svg = figure.querySelector("svg"), head = document.createElement("figcaption"), enlarge = document.createElement("button");
    enlarge.type = "button";
    enlarge.className = "enlarge";
    enlarge.textContent = `⤢ ${figure.dataset.title}`;
    enlarge.title = word("table_enlarge");
    enlarge.addEventListener("click", () => {
      [large, isChosen] = [figure, true];
      arrange();
      figure.scrollIntoView({ block: "nearest" });
    });
    head.append(enlarge);
    figure.prepend(head);
    if (isOwned(figure)) ownCaption(figure, enlarge);
    if (figure.dataset.note) head.after(Object.assign(document.createElement("p"), { className: "note", textContent: figure.dataset.note }));
    legendBelow(svg);
    zooms.set(figure, makeZoom(svg, buttons, { isActive: () => figure === large, changed: () => resized(svg) }));
    new ResizeObserver(() => resized(svg)).observe(svg);
    if (figure.dataset.turns === "yes") try { figure.classList.toggle("turned", localStorage.getItem(stored(figure)) === "yes"); } catch { /* not stored */ }
  }
  buttons.turn_board.addEventListener("click", () => {
    const is = large.classList.toggle("turned");
    try { localStorage.setItem(stored(large), is ? "yes" : "no"); } catch { /* not stored */ }
  });
  buttons.asked.addEventListener("click", zoomToAsked);
  for (const [id, name] of Object.entries({ closer: "page_closer", farther: "page_farther", whole: "page_whole", asked: "table_asked", turn_board: "table_turn_board" })) {
    buttons[id].title = word(name);
    buttons[id].setAttribute("aria-label", word(name));
  }
  bar.hidden = !figures.length;

  // The places of the question, so close that their names can be read and their pieces be told apart.
  function zoomToAsked() {
    const places = wanted.flatMap((place) => [...board.querySelectorAll(`[data-place="${CSS.escape(place)}"]`), ...beside.querySelectorAll(`[data-place="${CSS.escape(place)}"]`)]);
    const on = places[0]?.closest("figure");
    if (!on) return;
    if (on !== large) {
      large = on;
      arrange();
    }
    const here = places.filter((each) => on.contains(each)), boxes = here.map((each) => each.getBBox());
    const ids = new Set(here.map((each) => each.dataset.place));
    const names = [...on.querySelectorAll("[data-name]")].filter((each) => ids.has(each.dataset.name));
    const sizes = names.map((each) => each.querySelector("text")).map((text) => text.fitted?.size ?? Number(text.getAttribute("font-size")));
    const pieces = plan.boards.filter(({ panel }) => panel === on.dataset.panel).flatMap(({ stands }) => Object.values(stands)).flat().map(([size]) => size - 1);
    const least = Math.max(...sizes.map((size) => LEAST_TEXT / size), ...pieces.map((size) => LEAST_PIECE / size), 0) * 1.01;
    const left = Math.min(...boxes.map(({ x }) => x)) - 30, top = Math.min(...boxes.map(({ y }) => y)) - 30;
    const right = Math.max(...boxes.map(({ x, width }) => x + width)) + 30, bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + 30;
    zooms.get(on).frame({ x: left, y: top, width: right - left, height: bottom - top }, least);
    board.scrollIntoView({ block: "nearest" });
  }

  arrange();
  return {
    fit,
    // The boards of the seat that looks at them come first, and one is large until another is chosen.
    follow(seat) {
      if (seat === own || !groups.size) return;
      own = seat;
      if (!isChosen && isOwned(large)) large = figures.find((each) => groupOf(each) === groupOf(large) && isOwn(each)) ?? large;
      arrange();
    },
    asked(places) {
      wanted = places;
      for (const figure of figures.filter((each) => each.classList.contains("folded") && each !== large))
        if (places.some((place) => figure.querySelector(`[data-place="${CSS.escape(place)}"]`))) fold(figure, false);
      buttons.asked.disabled = !places.length;
    },
  };
}

// The house rules of a table: their titles, and what they say.
function showHouseRules(box, rules, word, make) {
  box.hidden = !rules.length;
  box.open = innerWidth > 800;
  box.querySelector("summary").textContent = word("table_house", { titles: rules.map(({ title }) => title).join(", ") });
  box.append(...rules.flatMap(({ doc, changes }) => [doc, ...changes].filter(Boolean).map((text) => make("p", text))));
}
