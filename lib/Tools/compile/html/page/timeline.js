// What the agents of a simulated multiprocessor did and waited for.

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

class Timeline {
  constructor(run, goTo) {
    this.ctas = readTrace(run.trace);
    this.goTo = goTo;
    this.canvas = make("canvas", {
      onwheel: (event) => this.zoom(event), onmousedown: (event) => this.drag(event),
      onmousemove: (event) => this.point(event), onmouseleave: hidePopover, onclick: (event) => this.pick(event),
    });
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
    this.from = this.first;
    this.to = this.last;
    this.draw();
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
    const height = LANE.axis + this.rows.length * (LANE.height + LANE.gap) + 8;
    if (!this.width) return;
    this.canvas.width = this.width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = height + "px";
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
    const step = [1, 2, 5, 10].map((factor) => factor * unit).find((size) => span / size <= 10) || unit;
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
    context.fillText(row.name.slice(0, 24), 12, top + LANE.height / 2);
    context.save();
    context.beginPath();
    context.rect(LANE.label, top, this.width - LANE.label, LANE.height);
    context.clip();
    const waiting = themed("--wait"), text = themed("--text");
    for (const slice of row.slices) {
      if (slice.end < this.from || slice.begin > this.to) continue;
      const x = this.getX(slice.begin), width = Math.max(1.2, this.getX(slice.end) - x);
      const line = Number((slice.args.place || "").split(":").slice(-2)[0]);
      context.fillStyle = slice.args["waits for"] ? waiting : getFill(getHue(line));
      context.fillRect(x, top, Math.max(1, width - 0.6), LANE.height);
      if (width > 44) {
        context.fillStyle = text;
        context.fillText(slice.name.replace(/^sm\./, "").slice(0, Math.floor((width - 6) / 7)), Math.max(x, LANE.label) + 4, top + LANE.height / 2);
      }
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
    showPopover(event, make("b", {}, slice.name), make("div", {}, `steps ${formatNumber(slice.begin)} to ${formatNumber(slice.end)}`),
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
    event.preventDefault();
    const at = this.getStep(event.offsetX);
    const factor = Math.exp(event.deltaY * 0.0015);
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
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", end);
    };
    this.wasDragged = false;
    addEventListener("mousemove", move);
    addEventListener("mouseup", end);
  }
}

function showTimeline(view, goTo) {
  const runs = data.runs.filter((run) => run.trace);
  const hint = make("span.summary", { style: "white-space: normal" });
  const bar = make("div.bar", {});
  let timeline = null;
  view.append(bar);
  const show = (run) => {
    if (timeline) timeline.box.remove();
    timeline = new Timeline(run, goTo);
    ctas.replaceChildren(...[...timeline.ctas.keys()].map((cta) => make("option", { value: cta }, `CTA ${cta}`)));
    ctas.value = timeline.cta;
    hint.textContent = `Simulated in steps, which are no cycles, with ${run.arguments.join(", ")} (--verify-arg takes others). ` +
      "A hue for each line of the source, grey where an agent waits. Scroll to zoom, drag to move, click for the line.";
    view.append(timeline.box);
    timeline.draw();
  };
  const ctas = make("select", { onchange: () => timeline.choose(Number(ctas.value)) });
  const kernels = make("select", { onchange: () => show(runs[Number(kernels.value)]) },
    runs.map((run, number) => make("option", { value: number }, run.variant || run.kernel)));
  if (runs.length) {
    bar.append(kernels, ctas, hint);
    show(runs[0]);
  }
  for (const run of data.runs.filter((run) => !run.trace && run.problem))
    bar.append(make("div", { style: "width: 100%" }, `'${run.kernel}' was not simulated: ${run.problem}`));
  if (!bar.children.length) bar.append("Nothing was simulated: no kernel has come to the sm level.");
}
