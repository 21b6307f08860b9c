"use strict";
// The moving half of a board: items of a position, from a drawing plan (`rulespec.drawing.drawing_plan`) and a state in
// the form of `state_json`. A port of `Board.items`: a test keeps both equal, item by item.
function makeDrawing(plan) {
  const INK = "#1a1a1a", BACK = ["#44546a", "#ffffff", "", "", false], GREY = ["#545454", "#ffffff", "", "", false];
  const TWO = [[-1, -1], [1, 1]], FOUR = [...TWO, [-1, 1], [1, -1]];
  const SPOTS = { 1: [[0, 0]], 2: TWO, 3: [...TWO, [0, 0]], 4: FOUR, 5: [...FOUR, [0, 0]], 6: [...FOUR, [-1, 0], [1, 0]] };
  const boards = new Map(plan.boards.map((board) => [board.kind, board]));
  const numbers = {}, owners = {};
  for (const [kind, { names }] of Object.entries(plan.kinds)) numbers[kind] = new Map(names.map((name, i) => [name, i]));
  const number = (kind, name) => numbers[kind]?.get(name) ?? -1;
  const look = (kind, n) => plan.kinds[kind].looks[n] || GREY;
  const valueLook = (kind, n) => plan.kinds[kind].values?.[n] || look(kind, n);
  const letterOn = (board, kind, letter) => (board?.plain?.includes(kind) ? "" : letter);
  const panelAt = ({ panel, panels, per }, n) => panels?.[Math.floor(n / per)] ?? panel;  // each owner may have a board
  const title = (kind, n) => plan.kinds[kind].titles[n];
  const placeId = (kind, n) => `${kind}.${plan.kinds[kind].names[n]}`;
  const nameOf = (kind, n) => (plan.kinds[kind].player ? `seat${n + 1}` : plan.kinds[kind].names[n]);

  // Pieces: their owners by name, in order: all combinations.
  for (const [type, { each }] of Object.entries(plan.pieces)) {
    if (!each) continue;
    let groups = [[[], []]];
    for (const kind of each)
      groups = groups.flatMap(([ids, of]) => plan.kinds[kind].names.map((name, n) => [[...ids, name], [...of, [kind, n]]]));
    owners[type] = new Map(groups.map(([ids, of], rank) => [ids.join("."), { of, rank }]));
  }

  function parts([kind, n]) {
    const made = plan.kinds[kind].parts, result = [];
    for (const part of [...made].reverse()) {
      const count = plan.kinds[part].names.length;
      result.unshift([part, n % count]);
      n = Math.floor(n / count);
    }
    return made.length ? result : [[kind, n]];
  }

  // --- numbers and texts as Python writes them
  function rounded(value, digits) {  // to the even digit where two are as near
    const text = value.toFixed(digits), scaled = Math.abs(value) * 10 ** digits;
    if (!Number.isInteger(value * 16) || scaled % 1 !== 0.5 || Math.floor(scaled) % 2) return text;
    return (Math.sign(value) * Math.floor(scaled) / 10 ** digits).toFixed(digits);
  }
  const num = (value) => rounded(value, 1).replace(/\.0$/, "");
  const escaped = (text) => text.replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[c]);
  const clean = (text) => escaped([...text].slice(0, 200).map((c) => (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(c) ? c : "\ufffd")).join(""));
  const none = (value) => value === null || value === undefined || value === false || value === 0;
  function written(value) {
    if (Array.isArray(value)) return `[${value.map((each) => (typeof each === "string" ? `'${each}'` : written(each))).join(", ")}]`;
    return value === null ? "None" : value === true ? "True" : value === false ? "False" : String(value);
  }

  function textWidth(text, size, bold) {
    const table = plan.widths[bold ? "bold" : "regular"];
    let sum = 0;
    for (const c of text) sum += table[c.codePointAt(0) - 32] ?? 1000;
    return sum * size / 1000;
  }
  function shortened(text, size, width, bold) {
    if (textWidth(text, size, bold) <= width) return text;
    const letters = [...text];
    while (letters.length && textWidth(letters.join("") + "…", size, bold) > width) letters.pop();
    return letters.join("").trimEnd() + "…";
  }
  const HALO = ' stroke="#ffffff" stroke-opacity="0.8" stroke-width="2.6" paint-order="stroke"';
  function words(text, x, y, size, { bold = false, start = false, fill = "#111", halo = false } = {}) {
    const how = `${bold ? ' font-weight="bold"' : ""}${start ? "" : ' text-anchor="middle"'} fill="${fill}"${halo ? HALO : ""}`;
    const head = `<text x="${num(x)}" y="${num(y + size * 0.36)}" font-size="${num(size)}"${how}`;
    return text ? `${head}>${clean(text)}</text>` : `${head}/>`;
  }
  const place = (id) => (id ? ` data-place="${escaped(id)}"` : "");

  // --- what a state holds
  function read(state) {
    const fields = new Map(), piles = [];
    for (const [type, of] of Object.entries(state.pieces))
      for (const [owner, at] of Object.entries(of)) {
        const { of: whose, rank } = owners[type].get(owner) || { of: [], rank: 0 };
        for (const [where, count] of Object.entries(at))
          piles.push({ type, owners: whose, rank, ...placed(type, where), count, token: "", fields: {} });
      }
    for (const [kind, entities] of Object.entries(state.entities)) {
      const tokens = plan.pieces[kind]?.owners;
      for (const [name, values] of Object.entries(entities)) {
        const n = kind === "game" ? 0 : number(kind, name);
        if (tokens) {
          const { place: where, ...rest } = values;
          if (typeof where === "string")
            piles.push({ type: kind, owners: tokens[n], rank: n, ...placed(kind, where), count: 1, token: name, fields: rest });
        }
        for (const [field, value] of Object.entries(values)) {
          const key = `${kind === "game" ? "" : kind}.${field}`;
          if (!fields.has(key)) fields.set(key, new Map());
          fields.get(key).set(n, value);
        }
      }
    }
    piles.push(...unseen(state.counts ?? {}, piles));
    return { fields, piles, of: (kind, field) => fields.get(`${kind}.${field}`) || new Map(), lengths: lengths(state.counts ?? {}) };
  }
  // The public lengths of private orders, by kind, field and number.
  function lengths(counts) {
    return new Map(Object.entries(counts).filter(([name]) => !name.includes("[")).map(([name, count]) => {
      const owner = name.split("."), field = owner.pop(), [kind, ...names] = owner;
      return [kind ? `${kind}.${field}.${number(kind, names.join("_"))}` : `.${field}.0`, count];
    }));
  }
  // The pieces that the public numbers of private places have beyond those that are seen there.
  function unseen(counts, piles) {
    return Object.entries(counts).flatMap(([name, all]) => {
      const [, path, index] = /^([^[]*)(.*)$/s.exec(name), [type, ...whose] = path.split("."), where = whose.pop();
      if (!(where in (plan.pieces[type]?.places ?? {}))) return [];
      let each = plan.pieces[type].each ?? [];
      const of = whose.map((owner) => {
        const kind = each.find((one) => number(one, owner) >= 0);
        each = each.slice(each.indexOf(kind) + 1);
        return [kind, number(kind, owner)];
      });
      const at = placed(type, where + index), isOwn = (pile) => of.every(([kind, n]) => pile.owners.some(([k, m]) => k === kind && m === n));
      const here = piles.filter((pile) => pile.type === type && pile.place === at.place && pile.index === at.index && isOwn(pile));
      const count = all - here.reduce((sum, pile) => sum + pile.count, 0);
      return count > 0 && of.every(([kind]) => kind) ? [{ type, owners: of, rank: 0, ...at, count, token: "", fields: {}, isUnseen: true }] : [];
    });
  }
  const hiddenText = (count) => plan.words.hidden.replace("{number}", count);
  function placed(type, where) {
    const at = where.split("[", 1)[0], kind = plan.pieces[type].places[at] || "";
    return { place: at, kind, index: kind ? number(kind, where.slice(at.length + 1, -1)) : -1 };
  }

  // --- tokens
  const numberOn = (pile) => pile.token ? plan.pieces[pile.type].numbers?.[number(pile.type, pile.token)] : undefined;
  function pileToken(pile) {
    const style = plan.pieces[pile.type], counted = numberOn(pile);
    const plain = pile.owners.length || !pile.token || counted !== undefined || plan.kinds[pile.type].names.length === 1;
    const looks = (plain ? pile.owners : parts([pile.type, number(pile.type, pile.token)])).map((of) => look(...of));
    const state = style.states.find(([field, value]) => {
      const held = pile.fields[field];
      return value ? held === value : !none(held);
    });
    const symbol = state?.[2] || style.symbols[pile.place] || looks.map((each) => each[3]).find(Boolean) || style.symbol;
    const many = pile.count > 1 ? String(pile.count) : "", value = pile.fields[style.text];
    let text = ["count", "title"].includes(style.text) ? many : "", each = "";
    if (style.text === "owner") [text, each] = [looks.map((of) => of[2]).join("") + many, looks.map((of) => of[2]).join("")];
    else if (counted !== undefined) text = String(counted);
    else if (style.text in pile.fields) text = ["number", "boolean"].includes(typeof value) ? written(value) : [...written(value)].slice(0, 2).join("");
    const [fill, ink] = style.colour.length ? style.colour : looks.length ? looks[0] : ["#ffffff", INK];
    const alike = looks.length && !style.colour.length && !style.plain && looks[0][4];
    const key = pile.kind ? plan.kinds[pile.kind].names[pile.index] : pile.place;
    const id = ["piece", key, pile.type, pile.place, pile.token || pile.owners.map((of) => nameOf(...of)).join(".")];
    const note = Object.entries(pile.fields).filter(([, v]) => !none(v)).map(([k, v]) => `${k} ${written(v)}`).join(", ");
    const told = `${pile.kind ? title(pile.kind, pile.index) : style.where[pile.place]}: ${pile.token ? "" : `${pile.count} `}${style.titles[pile.rank]}`;
    return {
      id: id.filter(Boolean).join("."), symbol, fill, ink, text, title: told + (note ? ` (${note})` : ""),
      mark: alike && style.text !== "owner" ? looks[0][2] : "", place: pile.token && `${pile.type}.${pile.token}`,
      count: pile.count, each,
    };
  }
  function unseenToken(pile) {
    const key = pile.kind ? plan.kinds[pile.kind].names[pile.index] : pile.place, style = plan.pieces[pile.type];
    const id = ["unseen", key, pile.type, pile.place, pile.owners.map((of) => nameOf(...of)).join(".")].filter(Boolean).join(".");
    const told = `${pile.kind ? title(pile.kind, pile.index) : style.where[pile.place]}: ${hiddenText(pile.count)}`;
    const [fill, ink] = BACK;
    return { id, symbol: style.symbol, fill, ink, text: String(pile.count), title: told, mark: "", count: pile.count, each: "", isBack: true };
  }
  const tokenOf = (pile) => (pile.isUnseen ? unseenToken(pile) : pileToken(pile));
  function heldToken(pile, token, held) {
    if (pile.isUnseen) return token;
    const id = token.place || entity(pile), first = id && !held.has(id);
    if (first) held.add(id);
    return { ...cardToken(token, ...card(pile)), place: token.place || (first ? id : "") };
  }
  const cardToken = (token, text, [fill, ink, letter]) => ({ ...token, fill, ink, each: text, letter });
  function ownedToken(pile) {
    const style = plan.pieces[pile.type], [kind, n] = pile.owners[0];
    const id = `piece.${plan.kinds[kind].names[n]}.${pile.type}.${pile.place}.${pile.owners.map((of) => nameOf(...of)).join(".")}`;
    const told = `${title(kind, n)}: ${pile.kind ? title(pile.kind, pile.index) : style.where[pile.place]}`;
    if (pile.kind) {
      const [fill, ink, letter] = look(pile.kind, pile.index);
      return { id: `${id}.${pile.index}`, symbol: "circle", fill, ink, text: letter, title: told, mark: "" };
    }
    const [fill, ink] = look(...parts(pile.owners[0])[0]);
    return { id, symbol: style.symbol, fill, ink, text: "", title: told, mark: "" };
  }
  function markerToken(board, kind, n, field, key, told, code = "") {
    if (!kind) return { id: `marker.${key}.${field}`, symbol: code ? "circle" : "ring", fill: "#ffffff", ink: INK, text: code, title: told, mark: "" };
    const [fill, ink, letter] = look(kind, n), text = letterOn(board, kind, letter);
    return { id: `ring.${key}.${nameOf(kind, n)}.${field}`, symbol: "circle", fill, ink, text, title: told, mark: "" };
  }
  function* drawn(tokens, slot, { largest, manner = "", stack = 0, stands = null }) {
    const shown = tokens.slice(0, 60);
    if (manner === "cards") yield* cards(shown, slot);
    else if (manner === "spread") yield* spread(shown, slot, largest);
    else if (manner) yield* inColumns(shown, slot, { largest, manner, stack });
    else if (stands) yield* inArea(tokens, stands);
    else {
      const at = squares(shown.length, slot, largest);
      for (const [i, token] of shown.entries()) yield itemOf(token, symbolOf(token, token.text, ...at[i]));
    }
  }
  function* inArea(tokens, stands) {
    const roomOf = ([, spots, lines]) => spots.length / 2 + lines.length / 4;
    const stand = stands.find((each) => roomOf(each) >= tokens.length) ?? stands.at(-1), room = roomOf(stand);
    const [side, spots, lines] = stand, size = side - 1, inside = spots.length / 2;
    const single = tokens.length <= room ? tokens.length : room - 1;
    const at = (i) => (i < inside ? spots.slice(2 * i, 2 * i + 2) : lines.slice(4 * (i - inside), 4 * (i - inside) + 2));
    for (let i = 0; i < single; i++) {
      const line = i < inside ? "" : lineTo(lines.slice(4 * (i - inside), 4 * (i - inside) + 4));
      yield itemOf(tokens[i], line + symbolOf(tokens[i], tokens[i].text, ...at(i), size));
    }
    const rest = tokens.slice(single);
    if (!rest.length) return;
    const [{ id, place }] = rest, title = rest.map((token) => token.title).join("; ");
    const pile = { id: `${id}.pile`, symbol: "card", fill: "#ffffff", ink: INK, text: `+${rest.length}`, title, mark: "", place };
    yield itemOf(pile, symbolOf(pile, pile.text, ...at(room - 1), size));
  }
  function lineTo([x, y, toX, toY]) {
    const d = `M${num(x)} ${num(y)}L${num(toX)} ${num(toY)}`;
    const line = (ink, wide) => `<path d="${d}" fill="none" stroke="${ink}" stroke-width="${wide}"/>`;
    return `${line("#ffffff", 3)}${line(INK, 1.2)}<circle cx="${num(toX)}" cy="${num(toY)}" r="2.2" fill="${INK}"/>`;
  }
  function grid(count, [left, top, right, bottom], largest) {
    const width = right - left, height = bottom - top;
    let size = 5, columns = Math.max(Math.round((width - width % 5) / 5), 1);
    for (let many = 1; many <= count; many++) {
      const fits = Math.min(width / many, height / Math.ceil(count / many), largest);
      if (fits > size) [size, columns] = [fits, many];
    }
    return [size, columns];
  }
  function squares(count, slot, largest) {
    const [left, top, right, bottom] = slot, [size, columns] = grid(count, slot, largest);
    const width = right - left, result = [];
    const first = (top + bottom) / 2 - Math.ceil(count / columns) * size / 2;
    for (let i = 0; i < count; i++) {
      const row = Math.floor(i / columns), beside = Math.min(columns, count - row * columns);
      result.push([left + (width - beside * size) / 2 + (i % columns + 0.5) * size, first + (row + 0.5) * size, size - 1]);
    }
    return result;
  }
  const one = (token) => ((token.count ?? 1) === 1 ? token.text : token.each);
  function* spread(tokens, slot, largest) {
    const counts = tokens.map((token) => Math.min(token.count ?? 1, 60));
    const at = squares(counts.reduce((sum, count) => sum + count, 0), slot, largest);
    for (const [i, token] of tokens.entries())
      yield itemOf(token, at.splice(0, counts[i]).map((place_) => symbolOf(token, one(token), ...place_)).join(""));
  }
  function* inColumns(tokens, [left, top, right, bottom], { largest, manner, stack }) {
    const wide = (right - left) / Math.max(tokens.length, 1), size = Math.min(wide, (bottom - top) / stack, largest);
    for (const [k, token] of tokens.entries()) {
      const x = left + (k + 0.5) * wide, count = token.count ?? 1;
      let inner = "";
      for (let i = 0; i < Math.min(count, stack); i++) {
        const far = (i + 0.5) * size, y = manner === "down" ? top + far : bottom - far;
        inner += symbolOf(token, i === stack - 1 && count > stack ? String(count) : one(token), x, y, size - 1);
      }
      yield itemOf(token, inner);
    }
  }
  function* cards(tokens, [left, top, right, bottom]) {
    const tall = bottom - top, wide = tall * 0.78;
    const counts = tokens.map((token) => (token.isBack ? Math.min(token.count ?? 1, 60) : 1)), all = counts.reduce((sum, count) => sum + count, 0);
    const step = Math.min(wide + 4, (right - left - wide) / Math.max(all - 1, 1));
    let first = 0;
    for (const [i, token] of tokens.entries()) {
      const x = left + first * step, { ink } = token;
      first += counts[i];
      if (token.isBack) {
        yield itemOf(token, backs(token, x, top, wide, tall, step, counts[i]));
        continue;
      }
      const at = `x="${num(x)}" y="${num(top)}" width="${num(wide)}" height="${num(tall)}" rx="4"`;
      let inner = `<rect ${at} fill="${token.fill}" stroke="${INK}" stroke-width="0.8"/>`;
      const isCovered = step < wide && first < all;
      const lines = isCovered ? beside(token, step) : [token.letter].filter(Boolean);
      inner += lines.map((line, k) => words(line, x + 4, top + 9 + k * 13, 12, { bold: true, start: true, fill: ink })).join("");
      if (!isCovered) inner += onCard(token.each ?? "", [x + 2, top + (token.letter ? 13 : 2), x + wide - 2, top + tall - 2], ink);
      yield itemOf(token, inner);
    }
  }
  // The lines on the visible edge of a covered card: its words if they fit, else its letter and count.
  function beside({ each, letter, count }, step) {
    const all = (each ?? "").split(" ").filter(Boolean);
    if (all.every((word) => textWidth(word, 12, true) <= step - 5)) return all.slice(0, 4);
    return [letter, (count ?? 1) > 1 ? `x${count}` : ""].filter(Boolean);
  }
  function backs(token, left, top, wide, tall, step, count) {
    let inner = "";
    for (let i = 0; i < count; i++) {
      const x = left + i * step;
      inner += `<rect x="${num(x)}" y="${num(top)}" width="${num(wide)}" height="${num(tall)}" rx="4" fill="${token.fill}" stroke="#ffffff" stroke-width="0.8"/>`;
      inner += `<rect x="${num(x + 3.5)}" y="${num(top + 3.5)}" width="${num(wide - 7)}" height="${num(tall - 7)}" rx="2" fill="none" stroke="#ffffff" stroke-width="0.8"/>`;
    }
    return inner + words(token.text, left + (count - 1) * step + wide / 2, top + tall / 2, 26, { bold: true, fill: "#ffffff" });
  }
  function onCard(text, [left, top, right, bottom], ink) {
    const width = right - left, x = (left + right) / 2, y = (top + bottom) / 2;
    const lines = text.split(" ").filter(Boolean).flatMap((word) => broken(word, width)).slice(0, 4);
    const widest = lines.length ? Math.max(...lines.map((line) => textWidth(line, 1, true))) : 1;
    const size = Math.min(Math.max(Math.min(width / widest, (bottom - top) / (lines.length * 1.15)), 6.5), 26);
    return lines.map((line, i) => {
      const down = (i - (lines.length - 1) / 2) * size * 1.15;
      return words(shortened(line, size, width + 0.1, true), x, y + down, size, { bold: true, fill: ink });
    }).join("");
  }
  function broken(word, width) {
    const letters = [...word], half = Math.ceil(letters.length / 2);
    return textWidth(word, 6.5, true) <= width ? [word] : [letters.slice(0, half).join("") + "-", letters.slice(half).join("")];
  }
  function itemOf(token, inner) {
    const head = token.title ? ` role="img"${place(token.place)}><title>${clean(token.title)}</title>` : `${place(token.place)}>`;
    const meaning = [token.symbol, token.fill, token.text, token.title, token.count].join();
    return { id: token.id, layer: "pieces", svg: `<g${head}${inner}</g>`, meaning };
  }
  function symbolOf(token, text, x, y, size) {
    const scale = size / 24, line = Number(rounded(Math.min(1 / scale, 2.5), 2));
    const where = `translate(${num(x - size / 2)} ${num(y - size / 2)}) scale(${rounded(scale, 3)})`;
    let inner = `<path d="${escaped(plan.symbols[token.symbol] || plan.symbols.square)}" transform="${where}" fill-rule="evenodd"`;
    inner += ` fill="${token.fill}" stroke="${INK}" stroke-width="${num(line)}"/>`;
    const letters = [...text].length;
    if (letters) {
      let height = size * (letters < 3 ? 0.6 : 0.44) * (token.mark ? 0.8 : 1);
      height = Math.min(height, size * 0.85 / textWidth(text, 1, true));
      inner += words(text, x, y - (token.mark ? size * 0.1 : 0), height, { bold: true, fill: token.ink });
    }
    if (token.mark) {
      const height = Math.min(size * 0.3, size * 0.6 / textWidth(token.mark, 1, true));
      inner += words(token.mark, x, y + size * 0.29, height, { bold: true, fill: token.ink });
    }
    return inner;
  }

  function markers(shown, add) {
    for (const { kind, name, title: words_, of, code, order } of plan.markers) {
      const ranks = shown.of(kind, order), rank = ([n]) => ranks.get(n) ?? 0;
      for (const [n, value] of [...shown.of(kind, name)].sort((a, b) => rank(a) - rank(b))) {
        const at = typeof value === "string" ? number(of, value) : -1;
        if (at < 0 || !boards.has(of)) continue;
        const told = `${title(of, at)}: ${kind ? title(kind, n) : ""} ${words_}`;
        add(of, at, markerToken(boards.get(of), kind, n, name, kind ? of : plan.kinds[of].names[at], told, code));
      }
    }
  }
  function slotOf(board, what, n) {
    const slot = n + plan.kinds[board.kind].names.length * (board.copies[what] || 0);
    return slot in board.slots ? slot : n;
  }
  function hiddenFields(board, field, shown, add) {
    const values = shown.of(board.kind, field.name);
    for (const [n, name] of plan.kinds[board.kind].names.entries()) {
      const slot = slotOf(board, `${board.kind}.${field.name}`, n), [fill, ink] = BACK;
      if (values.has(n) || !(slot in board.slots)) continue;
      const told = `${title(board.kind, n)}: ${field.title} ?`;
      add(board.kind, slot, { id: `hidden.${name}.${field.name}`, symbol: "card", fill, ink, text: "?", title: told, mark: "", isBack: true });
    }
  }
  function fieldTokens(board, shown, add) {
    for (const field of board.fields) {
      if (field.private) hiddenFields(board, field, shown, add);
      for (const [n, value] of shown.of(board.kind, field.name)) {
        if (none(value) || !(n in board.slots)) continue;
        const told = `${title(board.kind, n)}: ${field.title}`, id = `field.${plan.kinds[board.kind].names[n]}.${field.name}`;
        const at = field.type === "entity" && typeof value === "string" ? number(field.of, value) : -1;
        if (at >= 0) {
          const [fill, ink, letter, symbol] = valueLook(field.of, at);
          const slot = slotOf(board, `${board.kind}.${field.name}`, n), name = title(field.of, at);
          const token = { id, symbol: symbol || "circle", fill, ink, text: letterOn(board, field.of, letter), title: `${told} ${name}`, mark: "" };
          add(board.kind, slot, board.manners[slot] === "cards" ? cardToken(token, name, valueLook(field.of, at)) : token);
        } else if (field.type === "bool" || field.type === "number") {
          const text = value === true ? field.code : field.code + written(value), symbol = text ? "card" : "diamond";
          const note = value === true ? told : `${told} ${written(value)}`;
          add(board.kind, n, { id, symbol, fill: "#ffffff", ink: INK, text, title: note, mark: "" });
        } else if (field.type === "set") {
          for (const member of value) {
            const of = number(field.of, member), [fill, ink, letter] = valueLook(field.of, of);
            const text = letterOn(board, field.of, letter), token = { id: `${id}.${nameOf(field.of, of)}`, symbol: "circle", fill, ink, text, mark: "" };
            add(board.kind, n, { ...token, title: `${told} ${title(field.of, of)}` });
          }
        }
      }
    }
  }

  function* linkStates(link, shown) {
    const { kind, name, layer, of, lines } = link;
    for (const [n, value] of shown.of(kind, name)) {
      if (none(value) || !lines[n]) continue;
      const at = of && typeof value === "string" ? number(of, value) : -1;
      const note = at >= 0 ? ` ${title(of, at)}` : value === true ? "" : ` ${written(value)}`;
      const looks = at >= 0 ? [[INK, 8], [valueLook(of, at)[0], 5.6]] : [[INK, 5.6]];
      const drawnLines = looks.map(([ink, wide]) => `<path d="${lines[n][0]}" stroke="${ink}" stroke-width="${num(wide)}" fill="none" stroke-linecap="round"/>`);
      const svg = `<g role="img"><title>${clean(lines[n][1] + note)}</title>${drawnLines.join("")}</g>`;
      yield { id: `link_state.${kind}.${plan.kinds[kind].names[n]}`, layer, svg, panel: panelAt(link, n) };
    }
  }

  // --- tiles
  function* tileItems(board, shown) {
    const { kind, tiles } = board;
    if (!tiles) return;
    for (const [n, value] of shown.of(kind, tiles.field)) {
      const at = typeof value === "string" ? number(tiles.of, value) : -1;
      const turn = shown.of(kind, tiles.turn).get(n), steps = typeof turn === "number" ? turn : 0;
      if ((at < 0 && !steps) || !tiles.cells[n]) continue;
      const note = steps ? `${tiles.turned} ${steps}` : "", face = tiles.faces[at];
      const inner = face ? tile(tiles, at, n, steps) : words(note, ...tiles.cells[n].slice(0, 2), 12.5);
      const told = `${title(kind, n)}: ${[face?.title, note].filter(Boolean).join(", ")}`;
      const id = `tile.${kind}.${plan.kinds[kind].names[n]}`;
      yield { id, layer: "borders", svg: `<g role="img"><title>${clean(told)}</title>${inner}</g>`, panel: panelAt(board, n), meaning: told };
    }
  }
  function tile({ faces, cells, printed, low }, at, n, steps) {
    const { fill, drawn: turned, texts } = faces[at], [x, y, outline] = cells[n], [own, seen] = printed[n] ?? [-1, ""];
    const art = turned[steps % turned.length];
    let inner = fill ? `<path d="${outline}" fill="${fill}" stroke="${INK}" stroke-width="1"/>` : "";
    if (art) inner += `<g transform="translate(${num(x)} ${num(y)})">${art}</g>`;
    for (const [text, right, down, over] of texts[steps % texts.length])
      inner += words(text, x + right, y + down, 12.5, { bold: true, halo: over > 0 });
    return inner + (own === at ? words(seen, x, y + low, 12.5, { bold: true, halo: true }) : "");
  }
  // The stops of tiles, as places, with the letters of who is at home there, and the pieces on them.
  function* stopItems({ kind, panel, tiles }, shown, tokens, ids) {
    if (!tiles?.points) return;
    const count = plan.kinds[tiles.ends].names.length, homes = new Map();
    for (const [of, whose, where, field, letter] of tiles.homes) {
      const end = shown.of(of, field).get(whose), stop = typeof end === "string" ? tiles.stops.indexOf(number(tiles.ends, end)) : 0;
      homes.set(where, [...(homes.get(where) || []), [letter, Math.max(stop, 0)]]);
    }
    for (const [n, value] of shown.of(kind, tiles.field)) {
      const at = typeof value === "string" ? number(tiles.of, value) : -1, turn = shown.of(kind, tiles.turn).get(n);
      if (at < 0 || !tiles.cells[n]) continue;
      const { stops } = tiles.faces[at], here = stops[(typeof turn === "number" ? turn : 0) % stops.length];
      const points = tiles.stops.slice(0, here.length).map((end) => n * count + end);
      const on = points.map((point) => tokens.get(`${tiles.points}.${point}`)?.tokens ?? []);
      const there = new Set(on.flat().map(({ text }) => text)), [x, y] = tiles.cells[n];
      for (const [i, [radius, ...flat]] of here.entries()) {
        if (i >= points.length) break;
        const slots = flat.flatMap((a, k) => (k % 2 ? [] : [[x + a, y + flat[k + 1]]]));
        const letters = (homes.get(n) || []).filter(([letter, stop]) => Math.min(stop, here.length - 1) === i && !there.has(letter));
        ids.add(placeId(tiles.points, points[i]));
        yield { ...stopPlace(tiles.points, points[i], slots, radius, letters.map(([letter]) => letter)), panel };
        for (const [k, token] of on[i].entries()) {
          const more = Math.max(k - slots.length + 1, 0), [a, b] = slots[Math.min(k, slots.length - 1)];
          yield { ...itemOf(token, symbolOf(token, token.text, a + 2 * radius * more, b, 2 * radius - 2)), panel };
        }
      }
    }
  }
  function stopPlace(kind, point, slots, radius, letters) {
    const xs = slots.map(([a]) => a), ys = slots.map(([, b]) => b), far = Math.max(radius, 15);
    const left = Math.min(...xs) - far, top = Math.min(...ys) - far;
    const size = `x="${num(left)}" y="${num(top)}" width="${num(Math.max(...xs) + far - left)}" height="${num(Math.max(...ys) + far - top)}"`;
    let inner = `<rect ${size} rx="${num(far)}" fill="none" pointer-events="all"/>`;
    for (const [i, letter] of letters.slice(0, slots.length).entries())
      inner += words(letter, ...slots[slots.length - 1 - i], 12.5, { bold: true, fill: "#767676" });
    const told = title(kind, point), head = ` role="img"${place(placeId(kind, point))}><title>${clean(told)}</title>`;
    return { id: `stop.${plan.kinds[kind].names[point]}`, layer: "marks", svg: `<g${head}${inner}</g>`, meaning: `${told},${letters}` };
  }

  // --- scales
  function* onScale(scale, shown) {
    const results = new Map();
    for (const [n, value] of shown.of(scale.kind, scale.name)) {
      if (typeof value !== "number" || !(value in scale.slots)) continue;
      const told = `${scale.kind ? title(scale.kind, n) : ""} ${scale.title}: ${value}`.trim();
      if (!results.has(value)) results.set(value, []);
      results.get(value).push(markerToken(null, scale.kind, n, scale.name, scale.kind || "game", told));
    }
    for (const [value, tokens] of results) yield* on(scale.panel, drawn(tokens, scale.slots[value], { largest: plan.largest }));
  }
  // --- tables: the cells of all rows, each a list of texts and chips
  const chip = ([fill, ink, letter], text = "") => [text || letter, fill, ink];
  function cellsOf(table, shown, ids) {
    const piles = new Map();
    for (const pile of shown.piles) {
      const madeOf = pile.index < 0 ? pile.owners.flatMap((of) => [of, ...parts(of)]) : [];
      const own = pile.index < 0 && table.kind === "game" ? 0 : madeOf.length ? (madeOf.find(([kind]) => kind === table.kind) ?? madeOf[0])[1] : pile.index;
      const key = `${pile.type}.${pile.place}.${own}`;
      piles.set(key, [...(piles.get(key) || []), pile]);
    }
    return table.rows.map((_, i) => table.columns.map((column) => {
      if (column.texts) return column.texts[i] ? [column.texts[i]] : [];
      if (!column.pile) return valueOf(column, shown.of(column.kind, column.name).get(i), shown.lengths.get(`${column.kind}.${column.name}.${i}`));
      const all = piles.get(`${column.pile}.${column.place}.${i}`) || [];
      const of = plan.pieces[column.pile]?.grouped ? grouped(all) : all;
      if (column.counted) return of.length ? [String(of.reduce((sum, pile) => sum + pile.count, 0))] : [];
      return of.map((pile) => {
        const id = entity(pile), [text, look_] = card(pile), own = id && !ids.has(id);
        if (id) ids.add(id);
        return own ? [...chip(look_, text), id] : chip(look_, text);
      });
    }));
  }
  function grouped(piles) {  // those with the same card as one
    const results = new Map();
    for (const pile of piles) {
      const [text] = card(pile), first = results.get(text);
      results.set(text, first ? { ...first, count: first.count + pile.count } : pile);
    }
    return [...results.values()];
  }
  function die(value, x, y) {
    const spots = SPOTS[value].map(([across, down]) => `<circle cx="${num(x + 9 + 5 * across)}" cy="${num(y + 5 * down)}" r="1.9" fill="${INK}"/>`);
    const box = `x="${num(x)}" y="${num(y - 9)}" width="18" height="18" rx="4"`;
    return `<rect ${box} fill="#ffffff" stroke="${INK}" stroke-width="1.2"/>${spots.join("")}`;
  }
  function valueOf(column, value, length) {
    if (value === undefined && column.private) return [length === undefined ? "?" : hiddenText(length)];
    if (value === null || value === undefined) return [];
    if (column.facts) return [column.facts[number(column.of, value)]].filter(Boolean);
    if (column.type === "bool") return value ? [plan.words.yes] : [];
    if (column.type === "set") return value.map((name) => {
      const n = number(column.of, name);
      return chip(valueLook(column.of, n), plan.kinds[column.of].titled ? title(column.of, n) : "");
    });
    const at = column.type === "entity" && typeof value === "string" ? number(column.of, value) : -1;
    return at < 0 ? [written(value)] : [chip(valueLook(column.of, at)), title(column.of, at)];
  }
  function entity(pile) {
    if (pile.isUnseen) return "";
    if (pile.token) return `${pile.type}.${pile.token}`;
    const [of] = pile.owners;
    return pile.owners.length === 1 && !plan.kinds[of[0]].placed ? placeId(...of) : "";
  }
  function card(pile) {
    if (pile.isUnseen) return [hiddenText(pile.count), BACK];
    const style = plan.pieces[pile.type], value = pile.fields[style.text];
    const [text, look_] = lettered(pile);
    if (style.text === "title" && pile.token)
      return [title(pile.type, number(pile.type, pile.token)) + (pile.count > 1 ? ` x${pile.count}` : ""), look_];
    if (style.text === "title" && pile.owners.length === 1)
      return [title(...pile.owners[0]) + (pile.count > 1 ? ` x${pile.count}` : ""), look_];
    const fact = numberOn(pile);
    if (fact !== undefined) return [String(fact) + (pile.count > 1 ? ` x${pile.count}` : ""), look_];
    const counted = pile.owners.length && ["number", "boolean"].includes(typeof value);
    return counted ? [`${look_[2]} ${written(value)}`, look_] : [text, look_];
  }
  function lettered(pile) {
    const made = pile.owners.flatMap(parts), { colour, looks: own } = plan.pieces[pile.type];
    const looks = pile.token && own ? [own[number(pile.type, pile.token)]] : (pile.token && !made.length ? [[pile.type, number(pile.type, pile.token)]] : made).map((part) => look(...part));
    if (!looks.length) return [String(pile.count), [...(colour.length ? colour : ["#ffffff", INK]), "", "", false]];
    if (colour.length) looks[0] = [...colour, ...looks[0].slice(2)];
    return [looks.map((each) => each[2]).join(" ") + (pile.count > 1 ? ` x${pile.count}` : ""), looks[0]];
  }

  function* dice(roll) {
    for (const { kind, panel, dice: at } of plan.boards) {
      if (!at || !roll.length) continue;
      const parts = roll.map((value, i) => die(value, at[0] / 1.5 + (i - roll.length / 2) * 24 + 3, at[1] / 1.5));
      const scaled = `<g transform="scale(1.5)">${parts.join("")}</g>`;
      yield { id: `dice.${kind}`, layer: "pieces", svg: `<g role="img"><title>${roll.join(", ")}</title>${scaled}</g>`, panel };
    }
  }

  function* on(panel, items) {
    for (const item of items) yield { ...item, panel };
  }

  function* itemsOf(shown, roll, ids) {
    const tokens = new Map(), held = new Set();
    for (const board of plan.boards) {
      yield* tileItems(board, shown);
      for (const link of plan.links.filter(({ at }) => at === board.kind)) yield* linkStates(link, shown);
    }
    function add(kind, n, token) {
      const key = `${kind}.${n}`;
      if (!tokens.has(key)) tokens.set(key, { kind, n, tokens: [] });
      tokens.get(key).tokens.push(token);
    }
    for (const pile of shown.piles) {
      const { shown: where } = plan.pieces[pile.type];
      if (where && !where.includes(pile.place)) continue;
      const board = boards.get(pile.kind), [own] = pile.owners;
      if (board) {
        const owner = pile.owners.find(([kind]) => kind === board.each);
        let slot = slotOf(board, `${pile.type}.${pile.place}`, pile.index);
        if (owner) slot = pile.index + plan.kinds[pile.kind].names.length * owner[1];
        if (!(slot in board.slots)) slot = pile.index;
        const token = tokenOf(pile);
        add(pile.kind, slot, board.manners[slot] === "cards" ? heldToken(pile, token, held) : token);
        continue;
      }
      const what = `${pile.type}.${pile.place}`, holds = (each) => pile.owners.find(([kind]) => kind === each.holder);
      const holder = plan.boards.find((each) => what in each.held && holds(each));
      if (holder) {
        const slot = holder.held[what] + holds(holder)[1], token = tokenOf(pile);
        add(holder.kind, slot, holder.manners[slot] === "cards" ? heldToken(pile, token, held) : token);
      } else if (!pile.isUnseen && pile.owners.length === 1 && boards.get(own[0])?.owned && !plan.pieces[pile.type].internal.includes(pile.place))
        add(own[0], own[1], ownedToken(pile));
    }
    markers(shown, add);
    for (const board of plan.boards) fieldTokens(board, shown, add);
    for (const board of plan.boards) yield* stopItems(board, shown, tokens, ids);
    for (const { kind, n, tokens: standing } of tokens.values()) {
      const board = boards.get(kind);
      if (!(n in board.slots)) continue;
      for (const token of standing.slice(0, 60)) if (token.place) ids.add(token.place);
      const how = { largest: board.piece, manner: board.manners[n], stack: board.stack, stands: board.stands[n] };
      yield* on(panelAt(board, n), drawn(standing, board.slots[n], how));
    }
    for (const scale of plan.scales) yield* onScale(scale, shown);
    yield* dice(roll);
  }

  // What shows a state and a roll. `items`: `{id, panel, layer, svg, meaning}`, in the order in which they lie upon one
  // another; `meaning` is what is left if they only move. `tables`: cells by table, row and column. `turn`: kind and row.
  return function draw(state, roll = []) {
    const shown = read(state), ids = new Set(), items = [...itemsOf(shown, roll, ids)];
    const whose = plan.turn && shown.of("", plan.turn.name).get(0);
    const turn = typeof whose === "string" ? [plan.turn.of, number(plan.turn.of, whose)] : null;
    return { items, tables: plan.tables.map((table) => cellsOf(table, shown, ids)), turn };
  };
}
if (typeof module !== "undefined") module.exports = { makeDrawing };
