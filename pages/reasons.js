"use strict";
// Reasons: the tree of conditions, statements and numbers behind a move, or behind a place that has no option.

// The lines of a tree, indented by two spaces a level, as lists in lists; what decides is open.
function treeOf(lines, make) {
  const root = make("ul", "", "tree"), levels = [{ depth: -1, list: root, item: null }];
  for (const line of lines) {
    const depth = line.length - line.trimStart().length;
    while (levels.at(-1).depth >= depth) levels.pop();
    const above = levels.at(-1);
    if (!above.list) {
      const details = make("details", ""), summary = make("summary", "");
      details.open = levels.length < 4;
      summary.append(...above.item.childNodes);
      above.list = make("ul", "");
      details.append(summary, above.list);
      above.item.append(details);
    }
    const item = make("li", ""), [text, place = ""] = line.trim().split(/ · (?=[^·]+:\d+(?: |$))/);
    item.append(make("span", text), ...(place ? [" ", make("small", place)] : []));
    above.list.append(item);
    levels.push({ depth, list: null, item });
  }
  return root;
}

// `context` has: word, make, button, send.
function makeReasons({ word, make, button, send }) {
  const box = make("dialog", "", "reasons"), head = make("h2", ""), body = make("div", "");
  const close = button(word("table_close"), () => box.close());
  let asked = null;
  box.append(head, body, close);
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  document.body.append(box);
  return {
    ask(title, question) {
      asked = question;
      head.textContent = title;
      body.replaceChildren(make("p", word("table_why_wait"), "faint"));
      if (!box.open) box.showModal();
      close.focus();
      send({ do: "reason", ...question });
    },
    answer({ to, place, lines }) {
      if (!asked || (asked.to ?? -1) !== to || (asked.place ?? "") !== place) return;
      body.replaceChildren(lines.length ? treeOf(lines, make) : make("p", word("table_why_none"), "faint"));
    },
  };
}
