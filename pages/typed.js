"use strict";
// A move typed in the notation of the ruleset. What it means is the server's to say.

// `context` has: word, send, element; `state` is the table's.
function makeTyped({ word, send, element }, state, offered) {
  const form = element("typed"), field = form.elements.move;
  field.setAttribute("aria-label", word("table_typed"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) send({ do: "type", text: field.value.trim(), serial: state.serial });
  });
  return {
    show(mine) {
      form.hidden = !offered || !mine;
    },
    taken() {
      field.value = "";
    },
  };
}
