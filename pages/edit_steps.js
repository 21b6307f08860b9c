"use strict";
// The next steps with the map: their commands, and programs that the server starts with the map as it is saved.
function makeSteps(app, steps, ask) {
  const NAMES = { table: ["Play it", "Open it again"], report: ["Playtest it"], shares: ["See who wins"],
    scenarios: ["Test it"] };
  const WAITS = { table: "opening the table …", report: "playing the games …", shares: "playing 200 games …",
    scenarios: "running the scenarios …" };
  const outcomes = new Map(), buttons = new Map();
  element("commands").replaceChildren(...steps.flatMap(({ name, title, command }) => {
    const place = make("dd", "");
    if (name) {
      buttons.set(name, makeButton(NAMES[name][0], async () => {
        const answer = await ask({ do: "start", step: name });
        app.refused(answer.refused ?? "");
      }, { class: "start" }));
      place.append(buttons.get(name));
    }
    place.append(make("code", command), makeButton("Copy",
      () => navigator.clipboard.writeText(command).then(() => app.say("copied")),
      { "aria-label": `Copy: ${command}` }));
    outcomes.set(name, make("div", "", { class: "outcome" }));
    if (name) place.append(outcomes.get(name));
    return [make("dt", title), place];
  }));

  function outcome(name, { state, text, links }) {
    if (state === "running") return [make("p", WAITS[name])];
    const parts = [];
    if (links.length) {
      const list = make("ul");
      for (const [title, address] of links) {
        const item = make("li");
        item.append(make("a", title, { href: address, target: "_blank", rel: "noopener noreferrer" }));
        list.append(item);
      }
      parts.push(list);
    }
    const says = { done: "It has passed", failed: "It has failed" }[state];
    if (text && name === "scenarios" || state === "failed") parts.push(make("p", says, { class: state }));
    if (text) parts.push(make("pre", text, { tabindex: 0, "aria-label": "What it says" }));
    return parts;
  }

  return {
    show(programs) {
      for (const [name, program] of Object.entries(programs)) {
        outcomes.get(name)?.replaceChildren(...outcome(name, program));
        const button = buttons.get(name);
        if (!button) continue;
        button.disabled = program.state === "running";
        button.textContent = NAMES[name][program.links.length ? NAMES[name].length - 1 : 0];
        if (program.state !== "running") app.say(`${NAMES[name][0]}: ${program.state}`);
      }
    },
  };
}
