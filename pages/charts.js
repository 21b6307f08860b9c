"use strict";
// Charts of the measures: a line for each entity, and where the game stands. A click goes to the move there.
// Lines have the colours of the board, those of one colour are dashed; what is too much like the paper has an edge.
const inTheDark = matchMedia("(prefers-color-scheme: dark)");
const DASHES = [[], [8, 4], [2, 3], [12, 3, 2, 3]];

function dashes(lines, number) {
  const alike = lines.slice(0, number).filter((line) => line.colour === lines[number].colour).length;
  return DASHES[alike % DASHES.length];
}

// What a chart draws: for each line itself, below it the edge of a pale one.
function strokes(lines) {
  return lines.flatMap((line, i) => {
    const itself = { line, stroke: line.colour, dash: dashes(lines, i), width: 2 };
    if (!(inTheDark.matches ? line.dark : line.pale)) return [itself];
    return [{ ...itself, stroke: inTheDark.matches ? "#ececf1" : "#1a1a1a", width: 4 }, itself];
  });
}

// The value of a line after so many moves. A line is noted where it changes: `at` and `is`; null is not seen.
function valueAt(line, moves) {
  let low = 0, high = line.at.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (line.at[middle] <= moves) low = middle; else high = middle;
  }
  return line.is[low];
}

function valuesOf(line, positions) {
  const found = new Array(positions);
  for (let i = 0, k = 0; i < positions; i++) {
    if (k + 1 < line.at.length && line.at[k + 1] <= i) k++;
    found[i] = line.is[k];
  }
  return found;
}

function makeCharts(measures, positions, goTo) {
  const [select, box, legend] = ["measure", "chart", "legend"].map((id) => document.getElementById(id));
  const measured = document.getElementById("measured");
  let now = 0, chart = null, values = [];

  measures.forEach((measure) => select.append(new Option(measure.title)));
  select.addEventListener("change", () => draw());
  new ResizeObserver(() => chart && chart.setSize(size())).observe(box);

  // Colours of the page: another in the dark.
  const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = () => ({ stroke: colourOf("--ink"), grid: { stroke: colourOf("--line"), width: 1 }, ticks: { stroke: colourOf("--line") } });
  inTheDark.addEventListener("change", () => chart && draw());

  function size() { return { width: box.clientWidth, height: 220 }; }

  function draw() {
    const measure = measures[select.selectedIndex], drawn = strokes(measure.lines);
    if (chart) chart.destroy();
    const x = Array.from({ length: positions }, (_, i) => i);
    chart = new uPlot({
      ...size(),
      legend: { show: false },
      scales: { x: { time: false } },
      axes: [axis(), { ...axis(), size: 56 }],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      series: [{}, ...drawn.map(({ line, stroke, dash, width }) => (
        { label: line.name, stroke, dash, width, points: { show: false }, paths: uPlot.paths.stepped({ align: 1 }) }))],
      hooks: { draw: [mark] },
    }, [x, ...drawn.map(({ line }) => valuesOf(line, positions))], box);
    chart.over.addEventListener("click", () => { if (chart.cursor.idx !== null) goTo(chart.cursor.idx); });
    measured.textContent = measure.doc;
    values = measure.lines.map(() => document.createElement("b"));
    legend.replaceChildren(...measure.lines.map((line, i) => {
      const row = document.createElement("li"), swatch = document.createElement("i");
      swatch.style.borderTopColor = line.colour;
      if (dashes(measure.lines, i).length) swatch.style.borderTopStyle = "dashed";
      if (inTheDark.matches ? line.dark : line.pale) swatch.className = "pale";
      row.append(swatch, line.name, " ", values[i]);
      return row;
    }));
    tell();
  }

  function mark(u) {
    const x = u.valToPos(now, "x", true);
    u.ctx.save();
    u.ctx.strokeStyle = colourOf("--faint");
    u.ctx.lineWidth = devicePixelRatio;
    u.ctx.beginPath();
    u.ctx.moveTo(x, u.bbox.top);
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
    u.ctx.stroke();
    u.ctx.restore();
  }

  function tell() {
    measures[select.selectedIndex].lines.forEach((line, i) => {
      const value = valueAt(line, now);
      values[i].textContent = value === null ? "?" : value;
    });
  }

  return function show(moves) {
    now = Math.min(moves, positions - 1);
    if (!chart) draw();
    tell();
    chart.redraw(false);
  };
}
