"use strict";
// From options to clicks. An option is {text, name, words, arguments: [{kind, id}], out_of_turn}; a place is "kind.id".
// There is no page in it: who calls it leaves out the arguments that cannot be clicked.

const placesOf = (option) => option.arguments.map((argument) => `${argument.kind}.${argument.id}`);

// The places of an option that have not been clicked; null if it does not have all that were.
function leftOf(option, clicked) {
  const left = placesOf(option);
  for (const place of clicked) {
    const at = left.indexOf(place);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  return left;
}

// What clicks, in any order, leave: `options` that have all of them, `lit` places that can be clicked next, and `only`,
// the option that is meant if nothing else is left to say; null if there is none.
function choose(options, clicked) {
  const lit = new Set(), remaining = [];
  for (const option of options) {
    const left = leftOf(option, clicked);
    if (!left) continue;
    remaining.push(option);
    left.forEach((place) => lit.add(place));
  }
  const only = clicked.length && remaining.length === 1 && !lit.size ? remaining[0] : null;
  return { lit: [...lit], options: remaining, only };
}

// A list that is too long, in groups: by name, then argument by argument. Null if it is short, or cannot be split.
function groups(options, most = 12) {
  if (options.length <= most) return null;
  const keys = [(option) => ({ name: option.name })];
  const count = Math.max(...options.map((option) => option.arguments.length));
  for (let at = 0; at < count; at++) keys.push((option) => option.arguments[at] || { kind: "", id: "" });
  for (const key of keys) {
    const found = new Map();
    for (const option of options) {
      const value = key(option), text = JSON.stringify(value);
      if (!found.has(text)) found.set(text, { value, options: [] });
      found.get(text).options.push(option);
    }
    if (found.size > 1) return [...found.values()];
  }
  return null;
}

// The words that all options of each group begin with; "" where there are none, or two groups begin alike.
function beginnings(found) {
  const begun = found.map(({ options }) => {
    const words = options.map((option) => option.words.split(" "));
    const differs = words[0].findIndex((word, at) => words.some((each) => each[at] !== word));
    return words[0].slice(0, differs < 0 ? undefined : differs).join(" ").replace(/[,;:]$/, "");
  });
  return begun.map((text) => (begun.indexOf(text) === begun.lastIndexOf(text) ? text : ""));
}
