"use strict";
// Small parts of the page: elements, buttons, and choices that keys do not take too early.
const element = (id) => document.getElementById(id);

function make(tag, text = "", attributes = {}) {
  const node = document.createElement(tag);
  node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

// A message: what stands between back quotes is code.
function makeMessage(tag, text, attributes = {}) {
  const node = make(tag, "", attributes);
  node.append(...text.split("`").map((part, i) => (i % 2 ? make("code", part) : part)));
  return node;
}

function makeButton(text, act, attributes = {}) {
  const node = make("button", text, { type: "button", ...attributes });
  node.addEventListener("click", act);
  return node;
}

// A select whose value counts when a pointer has chosen it, or with keys at Enter, or when it is left: who types ahead
// passes over other values on the way.
function whenChosen(select, act) {
  let typed = false, value = select.value;
  const take = () => {
    typed = false;
    if (select.value === value) return;
    value = select.value;
    act(value);
  };
  select.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      take();
    } else if (event.key === "Escape") {
      select.value = value;
      typed = false;
    } else if (event.key !== "Tab" && event.key !== "Shift") typed = true;
  });
  select.addEventListener("pointerdown", () => { typed = false; });
  select.addEventListener("change", () => { if (!typed) take(); });
  select.addEventListener("blur", take);
  return {
    get busy() { return typed; },
    set(now) { if (!typed) select.value = value = now; },
  };
}

// A field of text whose value counts at Enter, or when it is left.
function whenWritten(input, act) {
  let value = input.value;
  input.addEventListener("change", () => {
    if (input.value === value) return;
    value = input.value;
    act(value);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      input.dispatchEvent(new Event("change"));
    } else if (event.key === "Escape") input.value = value;
  });
  return {
    set(now) {
      if (input.value !== value && document.activeElement === input) return;  // somebody writes in it
      input.value = value = now;
    },
  };
}

const isTyping = (target) => target instanceof Element
  && Boolean(target.closest("textarea, select, input:not([type=checkbox]), dialog"));

// The name of a region for what people call it, and the title, if the name does not say it.
function named(text) {
  const plain = text.trim().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const name = plain.replace(/[^a-z0-9]+/g, "_").replace(/^[_0-9]+|_+$/g, "").slice(0, 64);
  const shown = text.trim();
  return { name, title: shown === name || shown === titled(name) ? "" : shown };
}
const titled = (name) => name.replaceAll("_", " ");
