"use strict";
// One of many numbers: typed, or found on a slider. The button beside them says what it stands for.

// `numbers` is sorted; `first` is the number that is chosen now, `buttonOf` makes the button of a number, `note` hears which
// one is chosen.
function makeNumberField(make, title, numbers, first, buttonOf, note) {
  const field = make("div", "", "numbers"), label = make("label", ""), typed = make("input", ""), slider = make("input", "");
  const [least, most] = [numbers[0], numbers.at(-1)], known = new Set(numbers);
  let step = 0;
  for (let at = 1; at < numbers.length; at++) for (let a = numbers[at] - least, b = step; ; [a, b] = [b % a, a]) if (!a) { step = b; break; }
  for (const [input, type] of [[typed, "number"], [slider, "range"]]) Object.assign(input, { type, min: least, max: most, step });
  const range = `${title} (${least}–${most})`;
  field.role = "group";
  field.ariaLabel = slider.ariaLabel = range;
  label.append(make("span", range), typed);
  function show(number) {
    field.lastChild?.matches("button") && field.lastChild.remove();
    field.append(buttonOf(number));
    slider.ariaValueText = field.lastChild.textContent;
    note(number);
  }
  const near = (number) => numbers.reduce((best, each) => (Math.abs(each - number) < Math.abs(best - number) ? each : best));
  typed.addEventListener("input", () => {
    const number = typed.valueAsNumber, found = known.has(number);
    typed.setCustomValidity(found || !typed.validity.valid || Number.isNaN(number) ? "" : String(near(number)));
    if (found) show(slider.valueAsNumber = number);
    field.lastChild.disabled = !found;
  });
  typed.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && typed.reportValidity()) field.lastChild.click();
  });
  slider.addEventListener("input", () => {
    typed.valueAsNumber = near(slider.valueAsNumber);
    typed.setCustomValidity("");
    show(typed.valueAsNumber);
  });
  typed.valueAsNumber = slider.valueAsNumber = near(first);
  field.append(label, slider);
  show(typed.valueAsNumber);
  return field;
}
