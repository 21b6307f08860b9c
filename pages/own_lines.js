"use strict";
// One's own variations at a table: kept from a copy, listed, opened in a copy, renamed, deleted, published in the log.

// `context` has: word, make, button, sent (sends a message), ask (sends one whose answer opens a window).
function makeOwnLines({ word, make, button, sent, ask }, asks) {
  const box = document.getElementById("lines"), keep = document.getElementById("keep"), publish = document.getElementById("publish");
  keep.hidden = !asks.includes("keep");
  box.hidden = !asks.includes("lines");
  keep.addEventListener("submit", (event) => {
    event.preventDefault();
    keep.querySelector("output").textContent = word("table_loading");
    sent({ do: "keep", name: keep.elements.name.value, remark: keep.elements.remark.value });
  });
  box.addEventListener("toggle", () => box.open && sent({ do: "lines" }));
  publish.addEventListener("click", () => sent({ do: "publish" }));

  function rename(line, item, number) {
    const name = make("input", ""), remark = make("input", "");
    [name.value, name.maxLength, remark.value, remark.maxLength] = [line.name, 80, line.remark, 500];
    name.setAttribute("aria-label", word("table_line_name"));
    remark.setAttribute("aria-label", word("table_line_remark"));
    item.replaceChildren(name, remark, button(word("table_line_rename"), () => sent({ do: "rename", line: number, name: name.value, remark: remark.value })));
    name.focus();
  }
  function itemOf(line, number) {
    const item = make("li", ""), about = [word("table_line_after", { number: line.at }), ...line.published ? [word("table_published")] : []];
    item.append(make("b", line.name || word("variation")), ` · ${about.join(" · ")}`, make("div", line.text));
    if (line.remark) item.append(make("p", line.remark));
    item.append(
      button(word("table_line_open"), () => ask("open", { line: number })),
      button(word("table_line_rename"), () => rename(line, item, number)),
      button(word("table_line_drop"), () => sent({ do: "drop", line: number })),
    );
    if (!line.published) item.append(button(word("table_publish"), () => sent({ do: "publish", line: number })));
    return item;
  }
  return {
    refused() {
      keep.querySelector("output").textContent = "";
    },
    answer({ lines, kept }) {
      if (kept !== undefined) {
        keep.querySelector("output").textContent = word("table_kept", { name: kept });
        return;
      }
      box.querySelector("ul").replaceChildren(...lines.map(itemOf));
      publish.hidden = lines.filter((line) => !line.published).length < 2;
    },
  };
}
