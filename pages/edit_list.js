"use strict";
// The list of regions: the same choice as on the board, for keys. Letters type ahead.
function makeList(app) {
  const box = element("regions");
  const rows = new Map();
  let current = "", typed = "", typedAt = 0, anchor = "";

  function row(region) {
    const node = rows.get(region.name) ?? make("div", "", { role: "option", id: `region-${region.name}` });
    const problems = app.state.faults.filter((each) => each.regions[0] === region.name).length;
    const text = `${region.title}${problems ? ` (${problems} ${problems === 1 ? "problem" : "problems"})` : ""}`;
    if (node.textContent !== text) node.textContent = text;
    node.className = [region.own ? "" : "base", problems ? "wrong" : ""].join(" ");
    node.setAttribute("aria-selected", app.selection.includes(region.name));
    node.dataset.name = region.name;
    rows.set(region.name, node);
    return node;
  }

  function show() {
    const names = new Set(app.state.regions.map((region) => region.name));
    for (const name of rows.keys()) if (!names.has(name)) rows.delete(name);
    const nodes = app.state.regions.map(row);
    const same = nodes.length === box.children.length && nodes.every((node, i) => box.children[i] === node);
    if (!same) box.replaceChildren(...nodes);
    if (!names.has(current)) current = app.selection[0] ?? "";
    mark();
    element("regions_head").textContent = `Regions (${names.size})`;
  }

  function mark() {
    for (const [name, node] of rows) node.classList.toggle("current", name === current);
    if (current) box.setAttribute("aria-activedescendant", `region-${current}`);
    else box.removeAttribute("aria-activedescendant");
  }

  function go(name, { extend = false, keep = false } = {}) {
    if (!name) return;
    current = name;
    const names = app.state.regions.map((region) => region.name);
    if (extend) {
      const [a, b] = [names.indexOf(anchor || name), names.indexOf(name)].sort((p, q) => p - q);
      app.select(names.slice(a, b + 1));
    } else {
      anchor = name;
      if (!keep) app.select([name]);
    }
    mark();
    rows.get(name)?.scrollIntoView({ block: "nearest" });
  }

  function typeAhead(key) {
    typed = Date.now() - typedAt < 800 ? typed + key.toLowerCase() : key.toLowerCase();
    typedAt = Date.now();
    const fits = (region) => region.title.toLowerCase().startsWith(typed)
      || region.name.startsWith(typed.replace(/ /g, "_"));
    const at = app.state.regions.findIndex((region) => region.name === current);
    const turned = [...app.state.regions.slice(at + (typed.length === 1 ? 1 : 0)), ...app.state.regions];
    go(turned.find(fits)?.name);
  }

  box.addEventListener("keydown", (event) => {
    const names = app.state.regions.map((region) => region.name), at = names.indexOf(current);
    const steps = { ArrowDown: Math.min(at + 1, names.length - 1), ArrowUp: Math.max(at - 1, 0), Home: 0,
      End: names.length - 1 };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) go(names[steps[event.key]], { extend: event.shiftKey });
    else if (event.key === "Insert") app.add();
    else if (event.key === "Enter") app.form.focus();
    else if (event.key === "Delete") app.remove();
    else if (event.key === " " && Date.now() - typedAt > 800) app.toggle(current);
    else if (event.key.length === 1 && event.key !== "?") typeAhead(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();  // letters and signs are no commands of the board while one types ahead
  });
  box.addEventListener("click", (event) => {
    const name = event.target.closest("[data-name]")?.dataset.name;
    if (!name) return;
    if (event.ctrlKey || event.metaKey) {
      go(name, { keep: true });
      app.toggle(name);
    } else go(name, { extend: event.shiftKey });
  });
  box.addEventListener("focus", () => { if (!current) go(app.state.regions[0]?.name); });

  return {
    show,
    focus: () => box.focus(),
    follow() {
      if (app.selection.length && !app.selection.includes(current)) current = anchor = app.selection[0];
      for (const [name, node] of rows) node.setAttribute("aria-selected", app.selection.includes(name));
      mark();
      if (current) rows.get(current)?.scrollIntoView({ block: "nearest" });
    },
  };
}
