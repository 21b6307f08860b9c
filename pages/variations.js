"use strict";
// Variations: the other ways to go on from a position, as trees of moves; a click on a move shows where it leads.

// `context` has: word (for a variation), make, box, look (shows a position of a variation, after the one before it).
function makeVariations(variations, { word, make, box, look }) {
  let marked = null;
  function moveOf(move, before) {
    if (move.at < 0) return make("span", move.text, "unplayed");
    const made = make("button", move.text);
    made.addEventListener("click", () => {
      marked?.removeAttribute("aria-current");
      marked = made;
      made.setAttribute("aria-current", "step");
      look(move.at, before);
    });
    return made;
  }
  function itemOf(variation, before) {
    const item = make("li", ""), head = [variation.name || word, variation.by].filter(Boolean).join(" · ");
    item.append(make("b", head));
    if (variation.remark) item.append(make("p", variation.remark));
    const line = make("div", "", "line"), within = [];
    for (const move of variation.moves) {
      line.append(moveOf(move, before));
      if (move.remark) line.append(make("q", move.remark));
      within.push(...(move.variations ?? []).map((inner) => itemOf(inner, before)));
      if (move.at >= 0) before = move.at;
    }
    item.append(line);
    if (within.length) {
      const inner = make("ul", "");
      inner.append(...within);
      item.append(inner);
    }
    return item;
  }
  return function show(number) {
    const here = variations?.[number];
    box.hidden = !here;
    marked = null;
    box.replaceChildren(...(here ?? []).map((variation) => itemOf(variation, number)));
  };
}

// The decisions by which a game turned, as a bot judges them: a click goes to the move.
function showOpinions(opinions, box, make, goTo) {
  box.hidden = !opinions;
  if (!opinions) return;
  const list = make("ul", "");
  list.append(...opinions.turns.map(([number, text]) => {
    const item = make("li", ""), made = make("button", `${number} · ${text}`);
    made.addEventListener("click", () => goTo(number));
    item.append(made);
    return item;
  }));
  box.append(make("h3", opinions.head), make("p", opinions.basis), opinions.turns.length ? list : make("p", opinions.none));
}
