"use strict";
// Questions of the page: a name, whether to go on, one of several.
function makeDialogs() {
  // A promise of the name that is written, or of null.
  function name(head, { value = "", yes = "Add", note = "" } = {}) {
    const dialog = element("naming"), input = element("naming_name");
    element("naming_head").textContent = head;
    element("naming_yes").textContent = yes;
    element("naming_note").textContent = note;
    input.value = value;
    dialog.returnValue = "";
    dialog.showModal();
    input.select();
    element("naming_no").onclick = () => dialog.close("no");
    return new Promise((done) => dialog.addEventListener("close", () =>
      done(dialog.returnValue === "yes" && input.value.trim() ? input.value.trim() : null), { once: true }));
  }

  // A promise of the value of the button that is pressed, or of "".
  function choose(head, lines, buttons) {
    const dialog = element("asking");
    element("asking_head").textContent = head;
    element("asking_list").replaceChildren(...lines.map((line) => makeMessage("li", line)));
    const nodes = [...buttons, ["", "Cancel"]].map(([value, text]) => make("button", text, { value }));
    element("asking_buttons").replaceChildren(...nodes);
    dialog.returnValue = "";
    dialog.showModal();
    element("asking_buttons").querySelector("button").focus();
    return new Promise((done) => dialog.addEventListener("close", () => done(dialog.returnValue), { once: true }));
  }

  function help(keys) {
    element("keys").tBodies[0].replaceChildren(...keys.map(([key, text]) => {
      const row = make("tr", "");
      row.append(make("th", key, { scope: "row" }), make("td", text));
      return row;
    }));
    element("helping").showModal();
  }
  return { name, choose, help };
}
