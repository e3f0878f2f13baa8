// What the agents of a multiprocessor do and wait for: simulated, in steps, or predicted, in cycles.

const LANE = { height: 20, gap: 3, label: 150, axis: 24 };

/** The rows of a trace by CTA: { name, slices }, in the order in which they stand. */
function readTrace(trace) {
  const ctas = new Map();
  const rows = new Map();
  for (const event of trace.traceEvents) {
    const id = `${event.pid}:${event.tid}`;
    if (event.ph === "M" && event.name === "thread_name") {
      const row = { name: event.args.name, slices: [] };
      rows.set(id, row);
      if (!ctas.has(event.pid)) ctas.set(event.pid, []);
      ctas.get(event.pid).push(row);
    } else if (event.ph === "X") {
      rows.get(id).slices.push({ name: event.name, begin: event.ts, end: event.ts + event.dur, args: event.args });
    }
  }
  return ctas;
}

/** Names of rows of units that work for the warps. */
const UNITS = ["tensor cores", "tensor copies"];

/** The line of the source of a slice; 0 if there is none. */
function getSliceLine(slice) {
  return Number((slice.args.place || "").split(":").slice(-2)[0]) || 0;
}

/**
 * The middle of the main loop, [begin, end]: of the operation that repeats most, on tensor cores if there are any, the
 * second and third quarter of its executions. Null without such an operation.
 */
function findSteadyState(rows) {
  const units = [(row) => row.name === UNITS[0], (row) => row.name === UNITS[1], (row) => !UNITS.includes(row.name)];
  for (const isUnit of units) {
    const times = new Map();
    // Units share their work, but a warp has a loop of its own.
    rows.filter(isUnit).forEach((row, number) => {
      for (const slice of row.slices) {
        const key = `${slice.name} ${slice.args.place} ${UNITS.includes(row.name) ? "" : number}`;
        times.set(key, [...(times.get(key) || []), slice.begin]);
      }
    });
    const most = [...times.values()].reduce((best, other) => (other.length > best.length ? other : best), []);
    if (most.length < 4) continue;
    most.sort((a, b) => a - b);
    const begin = most[Math.floor(most.length / 4)], end = most[Math.ceil((3 * most.length) / 4)];
    const margin = Math.max(10, 0.05 * (end - begin));
    return [begin - margin, end + margin];
  }
  return null;
}

class Timeline {
  constructor(run, goTo) {
    this.ctas = readTrace(run.trace);
    this.unit = run.unit;
    this.goTo = goTo;
    this.canvas = make("canvas", {
      tabindex: 0, "aria-label": "Timeline: + and - zoom, arrows move",
      onwheel: (event) => this.zoom(event), onpointerdown: (event) => this.drag(event),
      onpointermove: (event) => this.point(event), onpointerleave: hidePopover, onclick: (event) => this.pick(event),
      onkeydown: (event) => this.press(event),
    });
    this.legend = make("div.legend");
    this.box = make("div.canvas-box", {}, this.canvas);
    // The busiest one: others may have found nothing to do.
    const count = (cta) => this.ctas.get(cta).reduce((sum, row) => sum + row.slices.length, 0);
    this.cta = [...this.ctas.keys()].reduce((best, cta) => (count(cta) > count(best) ? cta : best));
    this.choose(this.cta);
    new ResizeObserver(() => this.draw()).observe(this.box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  choose(cta) {
    this.rows = this.ctas.get(cta);
    const slices = this.rows.flatMap((row) => row.slices);
    this.first = Math.min(...slices.map((slice) => slice.begin), Infinity);
    this.last = Math.max(...slices.map((slice) => slice.end), 1);
    if (this.first > this.last) this.first = 0;
    this.steady = findSteadyState(this.rows) || [this.first, this.last];
    this.show(this.steady);
    this.fillLegend();
  }

  show([from, to]) {
    this.moveTo(from, Math.min(to - from, this.last - this.first));
  }

  /** The lines of the source with their hues, and the colour of waits. */
  fillLegend() {
    const counts = new Map();
    for (const slice of this.rows.flatMap((row) => row.slices))
      if (getSliceLine(slice)) counts.set(getSliceLine(slice), (counts.get(getSliceLine(slice)) || 0) + 1);
    const lines = [...counts.keys()].sort((a, b) => a - b);
    this.legend.replaceChildren(
      make("div", {}, make("i", { style: "background: var(--wait)" }), "the agent waits"),
      ...lines.map((line) => make("div", {}, make("i", { style: `background: hsl(${getHue(line)} var(--fill-s) var(--fill-l))` }),
        make("a", { onclick: () => this.goTo([], null, line) }, `line ${line}`), " ",
        make("code", {}, (source.lines[line - 1] || "").trim()))));
  }

  getX(step) {
    return LANE.label + ((step - this.from) / (this.to - this.from)) * (this.width - LANE.label - 10);
  }

  getStep(x) {
    return this.from + ((x - LANE.label) / (this.width - LANE.label - 10)) * (this.to - this.from);
  }

  draw() {
    const scale = devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    LANE.label = Math.min(150, Math.max(90, 0.25 * this.width));
    const height = LANE.axis + this.rows.length * (LANE.height + LANE.gap) + 8;
    if (!this.width) return;
    this.canvas.width = this.width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = height + "px";
    this.box.style.height = height + "px";
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    this.drawAxis(context, height);
    this.rows.forEach((row, number) => this.drawRow(context, row, LANE.axis + number * (LANE.height + LANE.gap)));
  }

  drawAxis(context, height) {
    const span = this.to - this.from;
    const unit = 10 ** Math.floor(Math.log10(span / 4));
    const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => span / size <= Math.min(10, this.width / 75)) || 10 * unit;
    context.strokeStyle = themed("--line");
    context.fillStyle = themed("--dim");
    for (let tick = Math.ceil(this.from / step) * step; tick <= this.to; tick += step) {
      const x = this.getX(tick);
      context.beginPath();
      context.moveTo(x, LANE.axis - 4);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(formatNumber(Math.round(tick)), x + 3, LANE.axis / 2);
    }
  }

  drawRow(context, row, top) {
    context.fillStyle = themed("--dim");
    context.fillText(row.name.slice(0, 24), Math.min(12, 0.03 * this.width), top + LANE.height / 2);
    context.save();
    context.beginPath();
    context.rect(LANE.label, top, this.width - LANE.label, LANE.height);
    context.clip();
    const waiting = themed("--wait"), text = themed("--text");
    for (const slice of row.slices) {
      if (slice.end < this.from || slice.begin > this.to) continue;
      const x = this.getX(slice.begin), width = Math.max(1.2, this.getX(slice.end) - x);
      context.fillStyle = slice.args["waits for"] ? waiting : getFill(getHue(getSliceLine(slice)));
      context.fillRect(x, top, Math.max(1, width - 0.6), LANE.height);
      const left = Math.max(x, LANE.label) + 4, name = fitText(context, slice.name.replace(/^sm\./, ""), x + width - left - 2);
      context.fillStyle = text;
      context.fillText(name, left, top + LANE.height / 2);
    }
    context.restore();
  }

  find(event) {
    const row = this.rows[Math.floor((event.offsetY - LANE.axis) / (LANE.height + LANE.gap))];
    const step = this.getStep(event.offsetX);
    const reach = ((this.to - this.from) / this.width) * 2;
    return row && event.offsetX >= LANE.label
      ? row.slices.find((slice) => slice.begin <= step && step < slice.end) ||
        row.slices.find((slice) => Math.abs((slice.begin + slice.end) / 2 - step) < reach)
      : null;
  }

  point(event) {
    if (this.isDragged) return hidePopover();
    const slice = this.find(event);
    if (!slice) return hidePopover();
    showPopover(event, make("b", {}, slice.name), make("div", {}, `${this.unit} ${formatNumber(slice.begin)} to ${formatNumber(slice.end)}`),
      slice.args["waits for"] ? make("div", {}, "waits for " + slice.args["waits for"]) : "",
      make("div.mono", {}, slice.args.place || ""));
  }

  pick(event) {
    const slice = !this.wasDragged && this.find(event);
    this.wasDragged = false;
    if (!slice) return;
    const [, file, line, column] = /^(.*):(\d+):(\d+)$/.exec(slice.args.place || "") || [];
    const places = data.places.flatMap((place, number) =>
      data.files[place[0]] === file && place[1] === Number(line) && place[2] === Number(column) ? [number] : []);
    hidePopover();
    this.goTo(places, null, Number(line));
  }

  zoom(event) {
    // Without a key the wheel scrolls the page once everything is in view.
    if (!event.ctrlKey && event.deltaY > 0 && this.to - this.from >= this.last - this.first) return;
    event.preventDefault();
    this.zoomBy(Math.exp(event.deltaY * 0.0015), this.getStep(event.offsetX));
  }

  press(event) {
    const span = this.to - this.from;
    const keys = {
      "+": () => this.zoomBy(0.7), "=": () => this.zoomBy(0.7), "-": () => this.zoomBy(1.4),
      ArrowLeft: () => this.moveTo(this.from - span / 8, span), ArrowRight: () => this.moveTo(this.from + span / 8, span),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  zoomBy(factor, at = (this.from + this.to) / 2) {
    const span = Math.min(this.last - this.first, Math.max(20, (this.to - this.from) * factor));
    const part = (at - this.from) / (this.to - this.from);
    this.moveTo(at - part * span, span);
  }

  moveTo(from, span) {
    this.from = Math.max(this.first, Math.min(from, this.last - span));
    this.to = this.from + span;
    this.draw();
  }

  drag(event) {
    const start = event.clientX, from = this.from, span = this.to - this.from;
    const move = (moved) => {
      this.isDragged = this.wasDragged = this.wasDragged || Math.abs(moved.clientX - start) > 3;
      if (this.isDragged) this.moveTo(from - ((moved.clientX - start) / (this.width - LANE.label)) * span, span);
    };
    const end = () => {
      this.isDragged = false;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
    };
    this.wasDragged = false;
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
  }
}

/** The longest beginning of a text that fits, with "…" if it is cut; empty if only one or two letters would fit. */
function fitText(context, text, width) {
  if (width < 16) return "";
  if (context.measureText(text).width <= width) return text;
  let length = text.length - 1;
  while (length > 0 && context.measureText(text.slice(0, length) + "…").width > width) length--;
  return length > 2 ? text.slice(0, length) + "…" : "";
}

const TERMS = [
  ["step", "The unit of a simulation. In a step the simulator executes one operation of one agent. Steps are not cycles: " +
    "the picture shows order and waits, not time."],
  ["cycle", "The unit of a prediction for the sizes of --explain. It shows the program that takes longest, by warpgroup."],
  ["agent", "A row: a warp, a tensor copy in flight, or an MMA in flight."],
  ["role", "The program of some warps of a CTA. Producer roles fill rings; consumer roles compute."],
  ["tensor copies", "The copy engine (TMA). It copies tiles between global and shared memory without the warps."],
  ["tensor cores", "The matrix units. A warpgroup of 4 warps issues an MMA and later waits for it."],
  ["ring", "A queue of tiles in shared memory between two roles. It has slots that are reused in order."],
  ["slot", "One tile of a ring. The producer acquires an empty slot and commits it full; the consumer waits for it and " +
    "releases it."],
  ["mbarrier", "A barrier in shared memory that counts arrivals and bytes. Each slot has one for full and one for empty."],
  ["prologue, steady state, epilogue", "The filling of the rings, the iterations in which all agents work at once, and the " +
    "rest until the results are stored."],
];

/** Explains the words of the picture, and lists the roles and rings of the kernel from its report. */
function makeGlossary(name) {
  const kernel = (data.report || []).find((found) => found.name === name);
  const lists = ["roles", "rings"].flatMap((title) => {
    const section = kernel && kernel.sections.find((found) => found.title.startsWith(title));
    return section && section.lines.length
      ? [make("h3", {}, title[0].toUpperCase() + title.slice(1) + " of this kernel"),
         make("ul", {}, section.lines.map((line) => make("li.mono", {}, line)))]
      : [];
  });
  return make("div.glossary", {}, lists, make("h3", {}, "Words"),
    make("dl", {}, TERMS.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)])));
}

function showTimeline(view, goTo) {
  const runs = [
    ...data.clock.map((run) => ({ ...run, unit: "cycles" })),
    ...data.runs.filter((run) => run.trace).map((run) => ({ ...run, unit: "steps" })),
  ];
  const hint = make("span.summary", { style: "white-space: normal" });
  const bar = make("div.bar", {});
  let timeline = null;
  view.append(bar);
  const below = make("div.below");
  const show = (run) => {
    if (timeline) timeline.box.remove();
    timeline = new Timeline(run, goTo);
    const noun = run.unit === "cycles" ? "program" : "CTA";
    ctas.replaceChildren(...[...timeline.ctas.keys()].map((cta) => make("option", { value: cta }, `${noun} ${cta}`)));
    ctas.value = timeline.cta;
    hint.textContent = (run.unit === "cycles" ? `Predicted for ${run.arguments.join(", ")}. `
      : `Simulated with ${run.arguments.join(", ")}; --verify-arg replaces them. `) +
      "Scroll to zoom, drag to move, click for the line.";
    below.replaceChildren(make("h3", {}, "Colours"), timeline.legend, makeGlossary(run.variant || run.kernel));
    view.append(timeline.box, below);
    timeline.draw();
  };
  const makeZoom = (text, title, zoom) => make("button", { title, onclick: () => zoom() }, text);
  const zooms = make("span.zooms", {},
    makeZoom("Steady state", "The middle of the main loop", () => timeline.show(timeline.steady)),
    makeZoom("All", "From the first step to the last", () => timeline.show([timeline.first, timeline.last])),
    makeZoom("+", "Zoom in", () => timeline.zoomBy(0.7)), makeZoom("−", "Zoom out", () => timeline.zoomBy(1.4)));
  const ctas = make("select", { onchange: () => timeline.choose(Number(ctas.value)) });
  const kernels = make("select", { onchange: () => show(runs[Number(kernels.value)]) },
    runs.map((run, number) => make("option", { value: number }, `${run.variant || run.kernel}${data.clock.length ? ` in ${run.unit}` : ""}`)));
  if (runs.length) {
    bar.append(kernels, ctas, zooms, hint);
    show(runs[0]);
  }
  for (const run of data.runs.filter((run) => !run.trace && run.problem))
    bar.append(make("div", { style: "width: 100%" }, `'${run.kernel}' was not simulated: ${run.problem}`));
  if (!bar.children.length) bar.append("Nothing was simulated: no kernel has come to the sm level.");
}
