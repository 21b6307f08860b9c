"use strict";
// What a map has beside its regions: entities that it may bring along, numbers, tables, the set-up. Each field is one
// value at its path; what is written here is laid over the base.
function makeData(app) {
  let shape = "", fields = [];

  function field(label, value, act, attributes = {}) {
    const common = { type: "text", autocomplete: "off", maxlength: 1000, "aria-label": label };
    const input = make("input", "", { ...common, ...attributes });
    const written = whenWritten(input, act);
    fields.push(() => written.set(value()));
    return input;
  }

  function chosen(label, choices, value, act) {
    const select = make("select", "", { "aria-label": label });
    select.append(...choices.map(([name, title]) => make("option", title, { value: name })));
    const taken = whenChosen(select, act);
    fields.push(() => taken.set(value()));
    return select;
  }

  const cell = (node) => {
    const td = make("td");
    td.append(node);
    return td;
  };

  function table(heads, rows) {
    const node = make("table"), head = make("tr"), box = make("div", "", { class: "wide", tabindex: 0 });
    head.append(...heads.map((each) => make("th", titled(each), { scope: "col" })));
    const top = make("thead"), body = make("tbody");
    top.append(head);
    body.append(...rows);
    node.append(top, body);
    box.append(node);
    return box;
  }

  function part(title, ...nodes) {
    const details = make("details");
    details.append(make("summary", title), ...nodes);
    details.dataset.part = title;
    return details;
  }

  const of = (kind) => app.state.data.kinds.find((each) => each.kind === kind);
  const entity = (kind, name) => of(kind)?.entities.find((each) => each.name === name);

  function entityRow(kind, { name, title }) {
    const row = make("tr"), now = (fact) => entity(kind.kind, name)?.facts[fact] ?? "";
    const set = (fact, value) => app.edit([["entity", kind.kind, name, fact, value]], `${title}: ${fact}`);
    row.append(cell(field(`title of ${title}`, () => entity(kind.kind, name)?.title ?? "",
      (value) => set("title", value))));
    row.append(cell(field(`colour of ${title}`, () => entity(kind.kind, name)?.colour || "#ffffff",
      (value) => set("colour", value), { type: "color" })));
    for (const fact of kind.facts) {
      const label = `${titled(fact.name)} of ${title}`;
      row.append(cell(fact.type === "entity"
        ? chosen(label, [...(fact.optional ? [["", "—"]] : []), ...kind.choices[fact.of] ?? []], () => now(fact.name),
          (value) => set(fact.name, value))
        : field(label, () => String(now(fact.name)), (value) => set(fact.name, value),
          fact.type === "number" ? { type: "number", step: 1 } : {})));
    }
    const away = () => remove(kind, name, title);
    if (kind.own) row.append(cell(makeButton("×", away, { "aria-label": `Remove ${title}` })));
    return row;
  }

  async function add(kind) {
    const text = await app.dialogs.name(`A new ${titled(kind.kind)}`);
    if (!text) return undefined;
    const { name } = named(text);
    if (!name) return app.refused(`“${text}” has no letter that a name can have`);
    const names = kind.entities.map((each) => each.name);
    return app.edit([["bring", kind.kind, ...names, `${name}=${text.trim()}`]], `add ${text}`);
  }

  function remove(kind, name, title) {
    const rest = kind.entities.map((each) => each.name).filter((each) => each !== name);
    const facts = app.state.form.facts.filter((fact) => fact.of === kind.kind).map((fact) => fact.name);
    const own = app.state.regions.filter((region) => region.own);
    const unset = own.flatMap((region) => facts.filter((fact) => region.facts[fact] === name)
      .map((fact) => ["unset", region.name, fact]));
    return app.edit([...unset, ["bring", kind.kind, ...rest]], `remove ${title}`);
  }

  function build({ kinds, constants, tables, starts }) {
    fields = [];
    const nodes = kinds.map((kind) => {
      const parts = [table(["title", "colour", ...kind.facts.map((fact) => fact.name), ...(kind.own ? [""] : [])],
        kind.entities.map((each) => entityRow(kind, each)))];
      if (kind.own) parts.push(makeButton(`Add a ${titled(kind.kind)}`, () => add(of(kind.kind))));
      return part(`${titled(kind.kind)} (${kind.entities.length})`, ...parts);
    });
    const simple = (list, name, key) => list.map(([each]) => {
      const row = make("tr"), input = field(each, () => app.state.data[key].find(([n]) => n === each)?.[1] ?? "",
        (value) => app.edit([[name, each, value]], each));
      row.append(make("th", titled(each), { scope: "row" }), cell(input));
      return row;
    });
    if (constants.length)
      nodes.push(part("numbers", table(["number", "value"], simple(constants, "constant", "constants"))));
    for (const [name, rows] of tables) {
      const mine = () => app.state.data.tables.find(([each]) => each === name)?.[1] ?? [];
      const now = (keys) => mine().find(([each]) => each === keys)?.[1];
      nodes.push(part(`table: ${titled(name)}`, table(["row", "value"], rows.map(([keys]) => {
        const row = make("tr");
        row.append(make("th", keys.replaceAll(",", ", "), { scope: "row" }), cell(field(`${name} ${keys}`,
          () => now(keys) ?? "", (value) => app.edit([["row", name, keys, value]], `${name} ${keys}`))));
        return row;
      }))));
    }
    if (starts.length) nodes.push(part("set-up", table(["place", "number"], simple(starts, "start", "starts"))));
    const open = new Set([...element("data_parts").querySelectorAll("details[open]")].map((each) => each.dataset.part));
    element("data_parts").replaceChildren(...nodes);
    for (const each of nodes) each.open = open.has(each.dataset.part);
  }

  return {
    show() {
      const { data } = app.state;
      const some = Boolean(data) && Boolean(data.kinds.length || data.constants.length || data.tables.length
        || data.starts.length);
      element("data").hidden = !some;
      if (!some) return;
      const names = (list) => list.map(([name]) => name);
      const now = JSON.stringify([data.kinds.map((kind) => [kind.kind, kind.own, kind.facts, kind.choices,
        kind.entities.map((each) => [each.name, each.title])]), names(data.constants), names(data.starts),
      data.tables.map(([name, rows]) => [name, names(rows)])]);
      if (now !== shape) build(data);
      shape = now;
      for (const set of fields) set();
    },
  };
}
