"use strict";
// The form of what is chosen: one region, or the facts of several, set in one step. Its fields are those that the
// ruleset declares; a field that somebody is writing in is not overwritten.
function makeForm(app) {
  const form = element("form");
  let shape = "", fields = [];

  const chosen = () => app.selection.map(app.region).filter(Boolean);
  const choicesOf = (kind) => kind === app.state.form.kind
    ? app.state.regions.map((region) => [region.name, region.title]) : app.state.form.choices[kind] ?? [];
  const common = (fact) => {
    const values = new Set(chosen().map((region) => JSON.stringify(region.facts[fact] ?? null)));
    return values.size === 1 ? JSON.parse([...values][0]) : undefined;
  };
  const quoted = (text) => (/^(yes|no|on|off|y|n|true|false|null|~)$/i.test(text) ? `"${text}"` : text);

  function set(fact, value) {
    const names = chosen().filter((region) => region.own).map((region) => region.name);
    const edits = names.filter((name) => value !== "" || fact in app.region(name).facts)
      .map((name) => (value === "" ? ["unset", name, fact] : ["set", name, fact, value]));
    if (edits.length) app.edit(edits, `${whom(names)}: ${fact}`);
  }

  const whom = (names) => (names.length === 1 ? app.title(names[0]) : `${names.length} regions`);

  function labelled(text, field) {
    const label = make("label", "");
    label.append(make("span", text.replaceAll("_", " ")), field);
    return label;
  }

  function choice(fact) {
    const select = make("select", "", { name: fact.name });
    const field = whenChosen(select, (value) => set(fact.name, quoted(value)));
    return {
      node: labelled(fact.name, select),
      show() {
        const value = common(fact.name), known = choicesOf(fact.of);
        const odd = typeof value === "string" && !known.some(([name]) => name === value);
        const first = [["", value === undefined ? "(several)" : "—"]];
        if (odd) first.push([value, `${value} (unknown)`]);
        const options = [...first, ...known];
        const text = JSON.stringify(options);
        if (select.dataset.options !== text && !field.busy) {
          select.dataset.options = text;
          select.replaceChildren(...options.map(([name, title]) => make("option", title, { value: name })));
        }
        field.set(typeof value === "string" ? value : "");
      },
    };
  }

  function boxes(fact) {
    const group = make("fieldset", "");
    group.append(make("legend", fact.name.replaceAll("_", " ")));
    const inputs = choicesOf(fact.of).map(([name, title]) => {
      const input = make("input", "", { type: "checkbox", value: name });
      const label = make("label", "");
      label.append(input, ` ${title}`);
      group.append(label);
      input.addEventListener("change", () => {
        const names = inputs.filter((each) => each.checked).map((each) => quoted(each.value));
        set(fact.name, names.length || !fact.optional ? `[${names.join(", ")}]` : "");
      });
      return input;
    });
    return {
      node: group,
      show() {
        const value = common(fact.name);
        for (const input of inputs) {
          input.checked = Array.isArray(value) && value.includes(input.value);
          input.indeterminate = value === undefined;
        }
      },
    };
  }

  function box(fact) {
    const input = make("input", "", { type: "checkbox", name: fact.name });
    input.addEventListener("change", () => set(fact.name, String(input.checked)));
    return {
      node: labelled(fact.name, input),
      show() {
        const value = common(fact.name);
        input.checked = value === true;
        input.indeterminate = value === undefined;
      },
    };
  }

  function written(name, type) {
    const input = make("input", "", { type, name, autocomplete: "off", maxlength: 1000 });
    const field = whenWritten(input, (value) => set(name, value));
    return {
      node: labelled(name, input),
      show() {
        const value = common(name);
        input.placeholder = value === undefined ? "(several)" : name === "title" ? titled(app.selection[0] ?? "") : "";
        field.set(value === undefined || value === null ? "" : typeof value === "object"
          ? JSON.stringify(value) : String(value));
      },
    };
  }

  function pieces(name) {
    const input = make("input", "", { type: "number", name, min: 0, step: 1, autocomplete: "off" });
    const counts = () => [...new Set(chosen().map((region) => String(region.pieces[name] ?? 0)))];
    const field = whenWritten(input, (value) => {
      const others = chosen().filter((region) => region.own && String(region.pieces[name] ?? 0) !== (value || "0"));
      const names = others.map((region) => region.name);
      if (names.length) app.edit(names.map((each) => ["put", each, name, value || "0"]), `${whom(names)}: ${name}`);
    });
    return {
      node: labelled(`${name.replace(".", " ")} (start)`, input),
      show() {
        const [count, ...others] = counts();
        input.placeholder = others.length ? "(several)" : /^\d+$/.test(count) ? "" : count;
        field.set(others.length || count === "0" ? "" : count);
      },
    };
  }

  // Pieces that belong to somebody: each choice puts one more, each × takes one away.
  function owned() {
    const node = make("div", "", { class: "links" }), list = make("ul", "", { "aria-label": "pieces of owners" });
    const select = make("select", "", { name: "put_one" });
    const titles = (kind) => app.state.data?.kinds.find((each) => each.kind === kind)?.entities ?? [];
    const put = (name, pieces, owner, number) => app.edit([["put", name, pieces, String(number), owner]],
      `${app.title(name)}: ${pieces} of ${owner}`);
    const field = whenChosen(select, (value) => {
      const [pieces, owner] = value.split(" "), region = app.region(app.selection[0]);
      field.set("");
      if (owner) put(region.name, pieces, owner, (region.owned[pieces]?.[owner] ?? 0) + 1);
    });
    node.append(labelled("put (start)", select), list);
    return {
      node,
      show() {
        const region = app.region(app.selection[0]), { owned: kinds = [] } = app.state.data ?? {};
        if (!region) return;
        node.hidden = !kinds.length;
        const options = [["", "…"], ...kinds.flatMap(([pieces, kind]) => titles(kind).map((each) =>
          [`${pieces} ${each.name}`, `${each.title}: ${pieces.replace(".", " ")}`]))];
        const text = JSON.stringify(options);
        if (select.dataset.options !== text && !field.busy) {
          select.dataset.options = text;
          select.replaceChildren(...options.map(([value, title]) => make("option", title, { value })));
        }
        list.replaceChildren(...kinds.flatMap(([pieces, kind]) => Object.entries(region.owned[pieces] ?? {})
          .map(([owner, number]) => {
            const title = `${number} ${titles(kind).find((each) => each.name === owner)?.title ?? owner}: ${pieces}`;
            const item = make("li", title, { class: "chip" });
            if (region.own && Number.isInteger(number)) item.append(makeButton("×",
              () => put(region.name, pieces, owner, number - 1), { "aria-label": `Take one away: ${title}` }));
            return item;
          })));
      },
    };
  }

  function place() {
    const group = make("fieldset", "", { class: "place" });
    group.append(make("legend", "place"));
    const inputs = ["x", "y"].map((name) => make("input", "", { type: "number", step: 1, name: `place_${name}`,
      "aria-label": name }));
    const field = inputs.map((input) => whenWritten(input, () => {
      const at = inputs.map((each) => Math.round(Number(each.value)));
      if (inputs.every((each) => each.value !== "")) app.move(app.selection[0], at);
    }));
    group.append(...inputs);
    return {
      node: group,
      show() {
        const at = app.region(app.selection[0])?.place ?? ["", ""];
        field.forEach((each, i) => each.set(String(at[i])));
      },
    };
  }

  function links() {
    const node = make("div", "", { class: "links" });
    const lists = make("div", "");
    const select = make("select", "", { name: "link_to" });
    const field = whenChosen(select, (value) => {
      if (value) app.link(app.selection[0], value);
      field.set("");
    });
    node.append(labelled("link to", select), lists);
    return {
      node,
      show() {
        const region = app.region(app.selection[0]);
        if (!region) return;
        const parts = [];
        for (const [kind] of app.state.form.links) {
          const ends = Array.isArray(region.facts[kind]) ? region.facts[kind] : [];
          if (!ends.length) continue;
          const list = make("ul", "", { "aria-label": kind });
          list.append(make("li", kind.replaceAll("_", " "), { class: "kind" }));
          list.append(...ends.map((end) => chip(region, kind, end)));
          parts.push(list);
        }
        const text = JSON.stringify([region.name, region.own,
          app.state.form.links.map(([kind]) => region.facts[kind])]);
        if (lists.dataset.shown !== text) {
          const focused = document.activeElement?.dataset?.end;
          lists.dataset.shown = text;
          lists.replaceChildren(...parts);
          if (focused && document.activeElement === document.body) lists.querySelector("button")?.focus();
        }
        const others = app.state.regions.filter((each) => each.name !== region.name);
        const options = JSON.stringify(others.map((each) => [each.name, each.title]));
        if (select.dataset.options !== options && !field.busy) {
          select.dataset.options = options;
          select.replaceChildren(make("option", "…", { value: "" }),
            ...others.map((each) => make("option", each.title, { value: each.name })));
        }
        select.disabled = !app.state.form.links.length;
      },
    };
  }

  function chip(region, kind, end) {
    const item = make("li", app.title(end), { class: "chip" });
    if (region.own)
      item.append(makeButton("×", () => app.edit([["unlink", region.name, end, kind]],
        `unlink ${region.title} – ${app.title(end)}`),
        { "aria-label": `Remove the link: ${kind} to ${app.title(end)}`, "data-end": end }));
    return item;
  }

  const kinds = { entity: choice, set: boxes, bool: box, number: (fact) => written(fact.name, "number"),
    other: (fact) => written(fact.name, "text") };

  function build(regions) {
    const one = regions.length === 1;
    fields = app.state.form.facts.map((fact) => kinds[fact.type](fact));
    if (one) fields.push(links());
    fields.push(...app.state.form.pieces.map(pieces));
    if (one) fields.push(owned());
    if (one) fields.push(written("title", "text"), written("doc", "text"), place());
    const head = make("h2", "", { id: "form_head" });
    const note = make("p", "", { class: "note" });
    fields.unshift({
      node: head,
      show() {
        const now = chosen();
        head.textContent = now.length === 1 ? now[0].title : `${now.length} regions`;
        note.textContent = now.every((region) => region.own) ? (now.length === 1
          ? now[0].name : "values set here apply to all of them")
          : "from a base ruleset: change it there, or override it in map.yaml";
      },
    }, { node: note, show() {} });
    const buttons = make("p", "");
    if (one) buttons.append(makeButton("Rename (F2)", () => app.rename()));
    buttons.append(makeButton("Remove (Del)", () => app.remove()));
    form.replaceChildren(...fields.map((field) => field.node), buttons);
    const own = regions.some((region) => region.own);
    for (const each of form.querySelectorAll("input, select, p button")) each.disabled = !own;
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") app.list.focus(); });

  return {
    show() {
      const regions = chosen();
      form.hidden = !regions.length || !app.state.form;
      if (form.hidden) {
        shape = "";
        return;
      }
      const sets = app.state.form.facts.filter((fact) => fact.type === "set").map((fact) => choicesOf(fact.of));
      const now = JSON.stringify([app.selection, regions.map((region) => region.own), app.state.form.facts,
        app.state.form.pieces, sets]);
      if (now !== shape) build(regions);
      shape = now;
      for (const field of fields) field.show();
    },
    focus: () => form.querySelector("select:not(:disabled), input:not(:disabled)")?.focus(),
  };
}
