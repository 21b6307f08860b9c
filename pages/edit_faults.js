"use strict";
// The problems: each with its place, its way out, and its fixes as buttons. F8 goes from one to the next.
function makeFaults(app) {
  let at = -1;

  function item(fault, number) {
    const node = make("li", "", { class: fault.severity });
    const main = makeMessage("button", fault.message, { type: "button", class: "fault" });
    main.addEventListener("click", () => go(number));
    node.append(main);
    const note = [fault.at && `${fault.at}`, fault.code].filter(Boolean).join(" · ");
    node.append(make("small", note));
    if (fault.help) node.append(makeMessage("p", fault.help));
    for (const fix of fault.fixes) node.append(makeButton(fix.label, () => app.fix(fix.number), { class: "fix" }));
    return node;
  }

  function go(number) {
    at = number;
    const names = app.state.faults[number].regions.filter((name) => app.region(name));
    if (names.length) {
      app.select(names.slice(0, 1));
      app.board.show(names[0]);
    }
  }

  return {
    show() {
      const { faults, more, stale } = app.state;
      const text = JSON.stringify([faults, more, stale]);
      if (element("faults").dataset.shown === text) return;
      element("faults").dataset.shown = text;
      const own = faults.filter((fault) => fault.own), others = faults.filter((fault) => !fault.own);
      const focused = document.activeElement?.closest?.("#faults li");
      const index = focused ? [...focused.parentNode.children].indexOf(focused) : -1;
      element("faults").replaceChildren(...own.map((fault) => item(fault, faults.indexOf(fault))));
      element("others").hidden = !others.length && !more;
      element("others").querySelector("summary").textContent = `${others.length + more} in other files`;
      const items = others.map((fault) => item(fault, faults.indexOf(fault)));
      element("others").querySelector("ol").replaceChildren(...items);
      const errors = own.filter((fault) => fault.severity === "error").length;
      const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
      element("sound").textContent = faults.length + more === 0 ? "No problems"
        : [errors ? count(errors, "error") : "", own.length - errors ? count(own.length - errors, "warning") : ""]
          .filter(Boolean).join(", ") || "No problems in the map's own files";
      if (index >= 0) element("faults").children[Math.min(index, own.length - 1)]?.querySelector("button")?.focus();
    },
    next() {
      const { faults } = app.state;
      if (!faults.length) return;
      go((at + 1) % faults.length);
      document.querySelectorAll("#faults button.fault")[at]?.focus();
      app.say(faults[at].message);
    },
  };
}
