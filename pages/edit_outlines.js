"use strict";
// The tool of the page that edits outlines: `outline_tool.js` on this board.
{
  let tool = null, layer = null, turn = "";

  function makeTool(host) {
    layer = host.draw("g", { class: "outlines" });
    return makeOutlineTool({
      get outlines() { return host.state.outlines ?? { frame: null, outlines: {}, scenery: {}, fixed: [] }; },
      get selection() { return host.selection; },
      toBoard: (event) => host.toBoard(host.point(event)),
      send: (op) => host.edit([wordsOf(op)], op.op.replaceAll("_", " ")),
      overlay: layer,
      say: host.say,
    });
  }

  // The layer has the numbers of outlines, which begin at the corner of the frame.
  function shown(host) {
    if (!host.picture) return;
    tool ??= makeTool(host);
    const { frame, scale, corner } = host.picture;
    layer.setAttribute("transform", `translate(${corner}) scale(${scale}) translate(${-frame[0]} ${-frame[1]})`);
    host.overlay.append(layer);
    tool.show();
  }

  TOOLS.push({
    name: "outline", letter: "O", title: "Outlines: drag a point, N draws one",
    start(event, host) {
      shown(host);
      const name = host.regionAt(event);
      turn = tool.pointerdown(event) ? "" : name;  // what is no point is a region to choose
      return !turn || Boolean(name);
    },
    move(event) { if (!turn) tool.pointermove(event); },
    end(event, host) {
      if (!turn) tool.pointerup(event);
      else if (event.ctrlKey || event.metaKey || event.shiftKey) host.toggle(turn);
      else host.select([turn]);
      turn = "";
    },
    hover: (event) => tool?.pointermove(event),
    key: (event) => tool?.key(event) ?? false,
    keyup: (event) => tool?.keyup(event),
    stop() {
      tool?.pointercancel();
      layer?.remove();
    },
    shown,
  });
}
