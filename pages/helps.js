"use strict";
// Rules at hand: the sentence of a decision, an option or a place, a bot's hint, and the page of all rules.

// `context` has: word, make, button, send, habit; `hello` the helps by subject: {title, text, rules}.
function makeHelps({ word, make, send, habit }, hello) {
  const element = (id) => document.getElementById(id), { helps = {} } = hello;
  const rule = element("rule"), hinted = element("hinted"), MOST = 3;
  const learn = habit("learn", "no"), known = `learned ${hello.rules}`;
  if (location.hash.split("&").includes("learn")) {
    learn.checked = true;
    learn.dispatchEvent(new Event("change"));
  }
  let learned = new Set(), open = "", hint = "";
  try { learned = new Set(JSON.parse(localStorage.getItem(known) ?? "[]")); } catch { /* not stored */ }

  function sentence({ text, rules }) {
    const made = make("p", text);
    if (rules.length) made.append(" ", make("small", rules.join(", "), "faint"));
    return made;
  }
  function note(decision) {
    learned.add(decision);
    try { localStorage.setItem(known, JSON.stringify([...learned])); } catch { /* not stored */ }
  }
  // The rule of the open decision; a new kind of it is opened, for who wants that, until it has been decided.
  function showRule(asked, mine) {
    const help = asked ? helps[asked.decision] : null, decision = help ? asked.decision : "";
    if (open && open !== decision) note(open);
    rule.hidden = !help;
    const fresh = help && mine && learn.checked && !learned.has(decision);
    if (help && (decision !== rule.dataset.decision || fresh !== Boolean(open))) {
      rule.dataset.decision = decision;
      rule.classList.toggle("fresh", Boolean(fresh));
      rule.open = Boolean(fresh);
      rule.querySelector("summary").textContent = word(fresh ? "table_new_rule" : "table_rule", { title: help.title });
      rule.querySelector("div").replaceChildren(sentence(help));
    }
    open = fresh ? decision : "";
  }

  const canHint = hello.asks.includes("hint"), ask = element("hint");
  ask.addEventListener("click", () => {
    hint = "asked";
    hinted.hidden = false;
    hinted.textContent = word("table_hint_wait", { bot: hello.adviser ?? hello.bots.at(-1) });
    send({ do: "hint" });
  });
  function clearHint() {
    hint = "";
    hinted.hidden = true;
    for (const each of document.querySelectorAll(".hinted")) each.classList.remove("hinted");
  }
  element("rules").hidden = !hello.asks.includes("rules");

  return {
    // The helps of subjects in the order of these, as paragraphs.
    lines(subjects, titled = false) {
      const found = [...new Set(subjects)].filter((name) => name in helps).slice(0, MOST).map((name) => helps[name]);
      return found.flatMap((help) => [...titled ? [make("b", help.title)] : [], sentence(help)]);
    },
    has: (subject) => subject in helps,
    show(asked, mine, decides) {
      showRule(asked, mine);
      ask.hidden = !canHint || !decides;
      if (!decides && hint) clearHint();
    },
    begin: clearHint,
    // A decision has been taken: its kind is known from here on.
    taken() {
      if (open) note(open);
    },
    // `best`: the options that a bot would choose, the first one first, with what it expects of each.
    hint({ bot, best, stakes }, labelOf) {
      if (hint !== "asked") return;
      const say = (share) => (stakes ? `${share >= 0.5 ? "+" : "−"}${Math.abs(stakes * (2 * share - 1)).toFixed(1)}` : `${Math.round(100 * share)} %`);
      const options = best.map(([text, share]) => [labelOf(text), share]).filter(([label]) => label);
      hint = best.length ? best[0][0] : "";
      hinted.textContent = options.length
        ? word("table_hint_of", { bot, options: options.map(([label, share]) => (share === null ? label : `${label} (${say(share)})`)).join(" · ") })
        : word("table_hint_none");
      for (const each of document.querySelectorAll("[data-option]")) each.classList.toggle("hinted", each.dataset.option === hint);
    },
  };
}
