"use strict";
// The page of a map: it keeps what is chosen and which tool is used; the map itself is what the server says.
function makeEditor(hello, ask) {
  const app = {
    state: { serial: 0, regions: [], faults: [], more: 0, form: null, stale: "", undo: "", redo: "" },
    picture: null,
    selection: [],
    shifted: "",  // the region whose label is being dragged
    region: (name) => app.state.regions.find((each) => each.name === name),
    title: (name) => app.region(name)?.title ?? name,
    say(text) { element("said").textContent = text; },

    select(names) {
      app.selection = names;
      app.form.show();
      app.list.follow();
      app.board.mark();
      app.tools.shown();
    },
    toggle(name) {
      const others = app.selection.filter((each) => each !== name);
      app.select(app.selection.includes(name) ? others : [...others, name]);
    },

    // One step of the history; true if it was made.
    async edit(edits, name, confirmed = false) {
      const answer = await ask({ do: "edit", edits, name: name.slice(0, 200), confirmed });
      if (answer.confirm) {
        const yes = await dialogs.choose(`${name}: this depends on it`, answer.confirm.remarks, [["yes", "Go on"]]);
        return yes ? app.edit(edits, name, true) : false;
      }
      if (answer.choose) {
        const { kinds, edit } = answer.choose;
        const buttons = kinds.map((each) => [each, each.replaceAll("_", " ")]);
        const kind = await dialogs.choose("Which kind of link?", [], buttons);
        return kind ? app.edit([[...edit.slice(0, 3), kind]], name) : false;
      }
      return answered(answer);
    },
    async fix(number) { answered(await ask({ do: "fix", fix: number, serial: app.state.serial })); },
    async undo() { answered(await ask({ do: "undo" })); },
    async redo() { answered(await ask({ do: "redo" })); },

    async add(at = app.picture?.free) {
      const focused = document.activeElement;
      const text = await dialogs.name("A new region");
      if (!text) return focused?.focus();
      const { name, title } = named(text);
      if (!name) return app.refused(`“${text}” has no letter that a name can have`);
      const edits = [["add", name, ...(title ? [`title=${title}`] : [])]];
      if (at) edits.push(["move", name, ...at.map(String)]);
      if (await app.edit(edits, `add ${text}`)) {
        app.select([name]);
        if (focused?.closest("#regions")) app.form.focus();
      }
      return undefined;
    },
    link: (a, b) => app.edit([["link", a, b]], `link ${app.title(a)} – ${app.title(b)}`),
    async move(name, at) {
      if (!await app.edit([["move", name, ...at.map(String)]], `move ${app.title(name)}`))
        app.board.label(name)?.removeAttribute("transform");
    },
    async rename() {
      const [old] = app.selection;
      if (!app.region(old)?.own) return;
      const focused = document.activeElement;
      const text = await dialogs.name(`A new name for ${app.title(old)}`, { value: old, yes: "Rename",
        note: "in all files of the folder" });
      const { name } = named(text ?? "");
      const wanted = name && name !== old;
      if (wanted && await app.edit([["rename", old, name]], `rename ${old} to ${name}`)) app.select([name]);
      focused?.focus();
    },
    async remove() {
      const names = app.selection.filter((name) => app.region(name)?.own);
      if (!names.length) return;
      const whom = names.length === 1 ? app.title(names[0]) : `${names.length} regions`;
      await app.edit(names.map((name) => ["remove", name]), `remove ${whom}`);
    },

    refused(text) {
      element("notice").textContent = text;
      element("notice").hidden = !text;
    },
  };

  function answered(answer) {
    app.refused(answer.refused ?? "");
    if (answer.done) app.say(answer.done);
    return !answer.refused;
  }

  const dialogs = app.dialogs = makeDialogs();
  element("title").textContent = hello.folder;
  element("about").textContent = hello.path;
  const steps = makeSteps(app, hello.steps, ask);
  element("editor").hidden = false;
  app.board = makeBoard(app, { closer: element("closer"), farther: element("farther"), whole: element("whole") });
  app.list = makeList(app);
  app.form = makeForm(app);
  app.faults = makeFaults(app);
  app.offers = makeOffers(app);
  app.data = makeData(app);
  app.tools = makeTools(app, app.board);

  element("undo").addEventListener("click", app.undo);
  element("redo").addEventListener("click", app.redo);
  element("add").addEventListener("click", () => app.add());
  element("loose").querySelector("button").addEventListener("click", () => {
    const edits = Object.entries(app.picture.loose).map(([name, at]) => ["move", name, ...at.map(String)]);
    app.edit(edits, `keep the places of ${edits.length} regions`);
  });

  const KEYS = [
    ["V", "select, on the board"],
    ["A", "add a region, on the board"],
    ["L", "link two regions, on the board"],
    ["O", "outlines, on the board: Tab to a point, arrows move it"],
    ["N I D Del", "with outlines: draw one, insert a point, detach it, remove it"],
    ["arrows", "on the board: move the region by 1, with Shift by 10; in the list: the next one"],
    ["+ − 0", "zoom"],
    ["Space and drag", "pan"],
    ["Insert", "a new region"],
    ["Enter", "from the list or the board to the form"],
    ["Esc", "from the form to the list; cancel a drag"],
    ["F2", "rename"],
    ["Del", "remove"],
    ["F8", "the next problem"],
    ["Ctrl+Z", "undo"],
    ["Ctrl+Shift+Z, Ctrl+Y", "redo"],
    ["Ctrl or Shift and click", "choose several regions"],
    ["?", "this help"],
  ];
  const help = () => dialogs.help(KEYS);
  element("help").addEventListener("click", help);

  document.addEventListener("keydown", (event) => {
    if (event.target.closest?.("dialog")) return;
    const key = event.key.toLowerCase(), typing = isTyping(event.target) && event.target.tagName !== "SELECT";
    if ((event.ctrlKey || event.metaKey) && !typing && (key === "z" || key === "y")) {
      if (key === "y" || event.shiftKey) app.redo();
      else app.undo();
    } else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (event.key === "F8") app.faults.next();
    else if (event.key === "F2") app.rename();
    else if (event.key === "?" && !isTyping(event.target)) help();
    else return;
    event.preventDefault();
  });

  function showHistory() {
    for (const each of ["undo", "redo"]) {
      const name = app.state[each], text = each === "undo" ? "Undo" : "Redo";
      element(each).disabled = !name;
      element(each).textContent = name ? `${text}: ${name}` : text;
    }
  }

  function showHint() {
    const { regions, stale, form } = app.state;
    document.body.classList.toggle("stale", Boolean(stale));
    element("hint").textContent = stale ? `The files cannot be read; this is the last readable map. ${stale}`
      : !form ? "" : !regions.length ? "No region yet: press A on the board and click, or Insert in the list." : "";
  }

  const held = [];
  function showPictures() {
    for (const picture of held.splice(0)) {
      app.picture = picture;
      app.board.take(picture);
    }
    const number = Object.keys(app.picture.loose).length;
    element("loose").hidden = !number;
    element("loose").querySelector("span").textContent = number === 1 ? "One region has no place in any file."
      : `${number} regions have no place in any file: they are shown where there is room.`;
    app.tools.shown();
    document.body.dataset.drawn = app.picture.version;
  }
  app.dropped = () => { if (held.length) showPictures(); };

  return {
    state(state) {
      const first = !app.state.serial;
      app.state = { outlines: app.state.outlines, ...state };  // left out if they are the same
      app.selection = app.selection.filter((name) => app.region(name));
      app.list.show();
      app.form.show();
      app.faults.show();
      app.offers.show();
      app.data.show();
      showHistory();
      showHint();
      document.body.dataset.version = state.version;
      app.board.mark();
      app.tools.shown();
      if (first && document.activeElement === document.body) app.list.focus();
    },
    // While something is dragged, the board under it stays as it is.
    picture(picture) {
      held.push(picture);
      if (!app.tools.busy) showPictures();
    },
    programs: steps.show,
    lost(is) { app.refused(is ? "The server is gone; this page connects again when it is back." : ""); },
  };
}
