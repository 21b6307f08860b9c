"use strict";
// From options to clicks. An option is {text, name, words, arguments: [{kind, id}], named: [place], out_of_turn}, a place
// "kind.id". There is no page in it: who calls it leaves out what cannot be clicked.

const placesOf = (entities) => entities.map(({ kind, id }) => `${kind}.${id}`);

// The places of an option that have not been clicked: its arguments, then what its words name beside them; null if it
// does not have all that were.
function leftOf(option, clicked) {
  const left = placesOf(option.arguments), named = [...option.named ?? []];
  for (const place of clicked) {
    const places = left.includes(place) ? left : named, at = places.indexOf(place);
    if (at < 0) return null;
    places.splice(at, 1);
  }
  return { left, named: named.filter((place) => !left.includes(place)) };
}

// What clicks, in any order, leave: `options` that have all of them, `lit` places that come next (sources before targets),
// `more` that can be clicked as well, and `only`, the option that is meant if nothing else is left to say, or null.
function choose(options, clicked) {
  const lit = new Set(), more = new Set(), remaining = [];
  let open = false;
  for (const option of options) {
    const places = leftOf(option, clicked);
    if (!places) continue;
    remaining.push(option);
    const [first, ...rest] = [...places.left, ...places.named];
    if (first) lit.add(first);
    rest.forEach((place) => more.add(place));
    open ||= places.left.length > 0;
  }
  const only = clicked.length && remaining.length === 1 && !open ? remaining[0] : null;
  return { lit: [...lit], more: [...more].filter((place) => !lit.has(place)), options: remaining, only };
}

// The arguments of options, by name, that are numbers with many values.
function manyNumbers(options) {
  const names = new Map();
  for (const option of options) {
    if (!names.has(option.name)) names.set(option.name, option.arguments.map(() => new Set()));
    option.arguments.forEach((each, at) => names.get(option.name)[at]?.add(isNumber(each) ? each.id : NaN));
  }
  return new Map([...names].map(([name, values]) => [name, values.map((all) => all.size > MANY_NUMBERS && !all.has(NaN))]));
}

// Options as people count them: those that differ by a number with many values alone are one choice.
function choicesOf(options) {
  const many = manyNumbers(options), found = new Map();
  for (const option of options) {
    const value = { name: option.name, arguments: option.arguments.map((each, at) => (many.get(option.name)[at] ? null : each)) };
    const key = JSON.stringify(value);
    if (!found.has(key)) found.set(key, { value, options: [] });
    found.get(key).options.push(option);
  }
  return [...found.values()];
}

// A list that is too long, but of few choices; null if it is short, or of many.
function fewChoices(options, most = 12) {
  const found = options.length > most ? choicesOf(options) : [];
  return found.length > 1 && found.length <= most ? found : null;
}

// What a group stands for: the number of its choices, or of a single one the least and the greatest number.
function sizeOfGroup(options) {
  const count = choicesOf(options).length, at = manyNumbers(options).get(options[0].name).indexOf(true);
  const numbers = count > 1 || at < 0 ? [] : options.map((option) => Number(option.arguments[at].id));
  return numbers.length ? `${Math.min(...numbers)}–${Math.max(...numbers)}` : String(at < 0 ? options.length : count);
}

// A list that is too long, in groups: by name, unless not `named`, then argument by argument, numbers with many values last.
// Null if it is short, or cannot be split.
function groups(options, most = 12, named = true) {
  if (options.length <= most) return null;
  const keys = named ? [(option) => ({ name: option.name })] : [];
  const count = Math.max(...options.map((option) => option.arguments.length)), places = Array.from({ length: count }, (_, at) => at);
  const areMany = new Set(places.filter((at) => options.every((option) => isNumber(option.arguments[at])) && new Set(options.map((option) => option.arguments[at].id)).size > MANY_NUMBERS));
  for (const at of [...places.filter((each) => !areMany.has(each)), ...areMany]) keys.push((option) => option.arguments[at] || { kind: "", id: "" });
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

// More numbers than these are no list of buttons: one of them is typed, or found on a slider.
const MANY_NUMBERS = 20;
const isNumber = (argument) => argument?.kind === "int" && Number.isSafeInteger(Number(argument.id));

// The groups that differ by a number alone, by this number from the least one on; null if they are few, or others.
function numbered(found) {
  if (!found || found.length <= MANY_NUMBERS || !found.every(({ value }) => isNumber(value))) return null;
  return new Map(found.map((each) => [Number(each.value.id), each]).sort(([a], [b]) => a - b));
}

// The words that all options of each group begin with, whole titles of arguments only; of a group with a common argument those up to its title ("Move knight
// b1" of "Move knight b1–c3"). "" where there are none, or two groups begin alike.
function beginnings(found, titleOf) {
  const begun = found.map(({ value, options }) => {
    if (!("name" in value)) return upTo(titleOf(value), options.map((option) => option.words));
    const words = options.map((option) => option.words.split(" "));
    const differs = words[0].findIndex((word, at) => words.some((each) => each[at] !== word));
    let begun = words[0].slice(0, differs < 0 ? undefined : differs).join(" ");
    for (const title of options[0].arguments.map(titleOf)) {
      const at = options[0].words.lastIndexOf(title, begun.length - 1);
      if (at >= 0 && at + title.length > begun.length) begun = begun.slice(0, at).trimEnd();
    }
    return begun.replace(/[,;:]$/, "");
  });
  return begun.map((text) => (begun.indexOf(text) === begun.lastIndexOf(text) ? text : ""));
}

// The common beginning of texts up to a title in it; "" if it is not there.
function upTo(title, texts) {
  const [first] = texts, inWord = (letter) => /[\p{L}\p{N}]/u.test(letter ?? "");
  let common = first.length;
  for (const text of texts) while (!text.startsWith(first.slice(0, common))) common--;
  for (let at = title ? first.indexOf(title) : -1; at >= 0 && at + title.length <= common; at = first.indexOf(title, at + 1)) {
    if (!inWord(first[at - 1]) && !inWord(first[at + title.length])) return first.slice(0, at + title.length);
  }
  return "";
}

// The longest run of words that all texts have; "" if there is none.
function sharedWords(texts) {
  const words = texts[0].split(" ");
  for (let count = words.length; count; count--) {
    for (let at = 0; at + count <= words.length; at++) {
      const run = words.slice(at, at + count).join(" ");
      if (texts.every((text) => ` ${text} `.includes(` ${run} `))) return run;
    }
  }
  return "";
}
