"use strict";
// What is proposed: the meaning of the drawing's colours, and facts, links and pieces as the base has them. Nothing of
// it is in the files before it is taken; each is one step.
function makeOffers(app) {
  const NEW = "\u0000new";
  let shown = "", colours = [], rows = [];

  // The regions of a colour say it already if all of them have the fact.
  function now(regions) {
    for (const [fact, values] of app.state.offers.meanings) {
      const has = new Set(regions.map((name) => app.region(name)?.facts[fact] ?? ""));
      const [value] = has;
      if (has.size === 1 && values.some(([name]) => name === value)) return `${fact} ${value}`;
    }
    return "";
  }

  const wanted = (each) => now(each.regions) || (each.fact && (each.value ? `${each.fact} ${each.value}`
    : each.fact in app.state.offers.owners ? `${each.fact} ${NEW}` : ""));

  function options({ meanings, owners }) {
    const results = [["", "nothing"]];
    for (const [fact, values] of meanings)
      results.push(...values.map(([name, title]) => [`${fact} ${name}`, `${titled(fact)}: ${title}`]));
    for (const [fact, [kind]] of Object.entries(owners))
      results.push([`${fact} ${NEW}`, `${titled(fact)}: a new ${titled(kind)}`]);
    return results;
  }

  function row(each, choices) {
    const item = make("li"), select = make("select", "", { "aria-label": `What ${each.colour} says` });
    const title = make("input", "", { type: "text", maxlength: 64, autocomplete: "off", "aria-label": "Its name" });
    const titles = each.regions.map(app.title).join(", ");
    const which = makeButton(`${each.regions.length} · ${titles}`, () => app.select(each.regions),
      { class: "which", title: titles });
    const swatch = make("span", "", { class: "swatch" });
    swatch.style.background = each.colour;
    select.append(...choices.map(([value, text]) => make("option", text, { value })));
    select.value = wanted(each);
    title.value = each.title;
    title.hidden = !select.value.endsWith(NEW);
    select.addEventListener("change", () => {
      title.hidden = !select.value.endsWith(NEW);
      if (!title.hidden) title.focus();
    });
    item.append(swatch, which, select, title);
    return { item, select, title, each };
  }

  function taken() {
    const edits = [], brought = new Map(), { owners } = app.state.offers;
    for (const { select, title, each } of rows) {
      const [fact, value] = select.value.split(" ");
      if (!fact || select.value === now(each.regions)) continue;
      if (value !== NEW) {
        edits.push(["colour", each.colour, fact, value]);
        continue;
      }
      const its = named(title.value);
      if (!its.name) return app.refused(`“${title.value}” has no letter that a name can have`);
      const [kind, have] = owners[fact];
      if (!brought.has(kind)) brought.set(kind, new Map(have.map((name) => [name, ""])));
      if (!brought.get(kind).has(its.name)) brought.get(kind).set(its.name, title.value.trim());
      edits.push(["colour", each.colour, fact, its.name]);
    }
    for (const [kind, names] of brought)
      edits.unshift(["bring", kind, ...[...names].map(([name, text]) => (text ? `${name}=${text}` : name))]);
    return edits.length ? app.edit(edits, "the colours of the drawing") : app.say("the map already has it");
  }

  const accept = (name, text) => app.edit([["accept", name]], text);

  element("colours_take").addEventListener("click", taken);
  element("offers_all").addEventListener("click", () => accept("all", "take all proposals"));

  function showColours(offers) {
    const text = JSON.stringify([offers.colours, offers.meanings, offers.owners]);
    if (text === shown) return;
    const first = !shown;
    shown = text;
    colours = offers.colours;
    const choices = options(offers), open = colours.filter((each) => !now(each.regions)).length;
    rows = colours.map((each) => row(each, choices));
    element("colours").querySelector("ul").replaceChildren(...rows.map(({ item }) => item));
    element("colours").querySelector("summary").textContent = open
      ? `Colours of the drawing: ${open} of ${colours.length} have no meaning yet`
      : `Colours of the drawing: ${colours.length}`;
    if (first || !open) element("colours").open = Boolean(open);
  }

  return {
    show() {
      const { offers } = app.state;
      const some = Boolean(offers) && offers.meanings.length > 0 && offers.colours.length > 0;
      element("offers").hidden = !offers || (!some && !offers.proposals.length);
      element("colours").hidden = !some;
      if (!offers) return;
      if (some) showColours(offers);
      element("offers_head").hidden = !offers.proposals.length;
      element("offers_all").parentNode.hidden = offers.proposals.length < 2;
      element("proposals").replaceChildren(...offers.proposals.map(({ name, title, regions }) => {
        const item = make("li"), said = title.replaceAll("`", "");
        const text = makeMessage("button", title, { type: "button", class: "offer" });
        text.addEventListener("click", () => app.select([...regions]));
        item.append(text, makeButton("Take", () => accept(name, said), { "aria-label": `Take: ${said}` }));
        return item;
      }));
    },
  };
}
