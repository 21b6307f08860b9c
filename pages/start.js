"use strict";
// The page of a folder without a map: a drawing is given, what is read of it is shown, and the map begins.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  let ready = false, turn = 0, open = 0, largest = 0;

  const notice = (text) => {
    element("notice").textContent = text;
    element("notice").hidden = !text;
  };
  const key = location.hash.slice(1) || sessionStorage.getItem("key");
  history.replaceState(null, "", location.pathname);
  addEventListener("hashchange", () => location.reload());

  // An answer of the server; what cannot be asked is a refusal.
  async function ask(path, body) {
    document.body.dataset.waiting = ++open;
    try {
      const how = body === undefined ? {} : { method: "POST", body };
      const answer = await fetch(path, { ...how, headers: { Authorization: `Bearer ${key}` } });
      return await answer.json();
    } catch {
      return { refused: "the server is gone, or has given up: nothing was written" };
    } finally {
      document.body.dataset.waiting = --open;
    }
  }

  const names = (id) => element(id).value.split(",").map((each) => each.trim()).filter(Boolean);
  const choice = () => JSON.stringify({
    name: element("name").value.trim(), base: element("base").value, drawing: element("drawing").value,
    layers: names("layers"), without: names("without"),
  });

  async function give(file) {
    if (!file) return;
    if (file.size > largest) return notice(`“${file.name}” has more than ${largest / 1e6} MB.`);
    element("drawing").value = "";
    element("given").textContent = `${file.name} …`;
    const answer = await ask(`/drawing?name=${encodeURIComponent(file.name)}`, file);
    notice(answer.refused ?? "");
    element("given").textContent = answer.refused ? "" : file.name;
    if (!answer.refused) {
      ready = true;
      await readIt();
    }
  }

  async function readIt() {
    if (!ready) return;
    const mine = ++turn;
    element("counts").textContent = "Reading …";
    element("begin").disabled = true;
    const answer = await ask("/reading", choice());
    if (mine === turn) show(answer);
  }

  function show(answer) {
    const refused = typeof answer.refused === "string" ? [{ code: "", line: 0, message: answer.refused, help: "", ways: [] }]
      : answer.refused;
    element("counts").textContent = refused.length ? "It cannot be read" : `Read: ${answer.counts}`;
    element("begin").disabled = refused.length > 0;
    element("preview").replaceChildren(...(refused.length ? [] : [picture(answer.shapes, answer.frame)]));
    element("findings").replaceChildren(...(refused.length ? refused : answer.findings).map((each) => {
      const item = make("li", "", { class: refused.length ? "refused" : "" });
      const at = [each.code, each.line ? `line ${each.line}` : ""].filter(Boolean).join(", ");
      item.append(makeMessage("span", each.message), " ", make("small", at), makeMessage("p", each.help));
      for (const [flag, name] of each.ways) {
        const text = flag === "layer" ? `Read “${name}” alone` : `Leave out “${name}”`;
        item.append(makeButton(text, () => choosePart(flag, name)), " ");
      }
      return item;
    }));
  }

  function choosePart(flag, name) {
    const field = flag === "layer" ? "layers" : "without";
    element("parts").open = true;
    if (!names(field).includes(name)) element(field).value = [...names(field), name].join(", ");
    readIt();
  }

  function picture(shapes, [left, top, width, height]) {
    const node = (tag, attributes) => {
      const result = document.createElementNS(SVG, tag);
      for (const [name, value] of Object.entries(attributes)) result.setAttribute(name, value);
      return result;
    };
    const svg = node("svg", { viewBox: `${left} ${top} ${width} ${height}`, role: "img", "aria-label": "The regions" });
    const size = Math.max(width, height) / 45;
    for (const { outline, fill } of shapes)
      svg.append(node("path", { d: outline, fill: /^#[0-9a-f]{6}$/.test(fill) ? fill : "#eee" }));
    for (const { title, x, y } of shapes) {
      const text = node("text", { x, y, "font-size": size });
      text.textContent = title;
      svg.append(text);
    }
    return svg;
  }

  async function begin(event) {
    event.preventDefault();
    element("begin").disabled = true;
    const answer = await ask("/map", choice());
    if (answer.done) location.reload();
    else {
      notice(answer.refused);
      element("begin").disabled = false;
    }
  }

  async function hello() {
    const about = await ask("/start");
    if (about.refused) return notice(about.refused);
    element("about").textContent = about.path;
    element("name").value = about.name;
    element("base").append(make("option", "none yet: start from a small game", { value: "" }),
      ...about.bases.map(([name, title]) => make("option", title, { value: name })));
    element("drawing").append(make("option", "—", { value: "" }),
      ...about.drawings.map((name) => make("option", name, { value: name })));
    element("there").hidden = !about.drawings.length;
    element("file").accept = about.ends.join(",");
    largest = about.largest;
    element("start").hidden = false;
    return undefined;
  }

  element("file").addEventListener("change", (event) => give(event.target.files[0]));
  element("drawing").addEventListener("change", () => {
    ready = Boolean(element("drawing").value || element("given").textContent);
    readIt();
  });
  for (const id of ["base", "name"]) element(id).addEventListener("change", readIt);
  element("again").addEventListener("click", readIt);
  element("choice").addEventListener("submit", begin);
  addEventListener("dragover", (event) => {
    event.preventDefault();
    element("drop").classList.add("over");
  });
  addEventListener("dragleave", () => element("drop").classList.remove("over"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    element("drop").classList.remove("over");
    give(event.dataTransfer.files[0]);
  });
  if (key) {
    sessionStorage.setItem("key", key);
    hello();
  } else notice("This page needs the link with the key that `rulespec edit` printed.");
})();
