// Shared memory: addresses over the lines of the last phase that has them.

const MAP = { left: 64, top: 34, width: 860, height: 420, bottom: 20 };

/** What is written into a buffer, by the words of the source: "k", or its type if nothing says. */
function nameBuffer(buffer) {
  const places = buffer.op === "sm.fetch" ? buffer.places : buffer.writers;
  const words = [...new Set(places.map((place) => source.getWord(place)).filter((word) => /^[a-z_]\w*$/i.test(word)))];
  return words.length ? `${words.join(", ")}: ${buffer.what}` : buffer.what;
}

function describePlaces(buffer) {
  return buffer.writers.length ? "written at " + buffer.writers.map(formatPlace).join(", ")
                               : buffer.places.map(formatPlace).join(", ");
}

function describeBuffer(buffer) {
  return [make("b", {}, nameBuffer(buffer)), make("div", {}, `${buffer.op}, ${formatNumber(buffer.bytes)} bytes at ${formatNumber(buffer.address)}`),
    make("div", {}, buffer.role ? `of role '${buffer.role}', ` : "",
      `alive in lines ${buffer.alive[0]} to ${buffer.alive[1]} of phase '${data.memoryPhase}'`),
    make("div", {}, describePlaces(buffer))];
}

/** Hues that tell buffers apart, since many come from one line. */
function getBufferFill(number) {
  return `hsl(${Math.round((number * 137.508 + 200) % 360)} var(--fill-s) var(--fill-l))`;
}

function drawMemory(map, goTo) {
  MAP.width = Math.min(860, Math.max(240, innerWidth - 120));
  const lines = Math.max(1, map.lines[1] - map.lines[0]);
  const x = (line) => MAP.left + ((line - map.lines[0]) / lines) * MAP.width;
  const y = (address) => MAP.top + (address / Math.max(1, map.bytes)) * MAP.height;
  const svg = makeSvg("svg", {
    width: MAP.left + MAP.width + 16, height: MAP.top + MAP.height + MAP.bottom, role: "img",
    "aria-label": `shared memory of ${map.kernel}`,
  });
  for (const role of map.roles)
    svg.append(
      makeSvg("rect", { class: "role", x: x(role.lines[0]), y: 0, width: x(role.lines[1]) - x(role.lines[0]), height: MAP.top + MAP.height }),
      makeSvg("line", { class: "axis", x1: x(role.lines[0]), x2: x(role.lines[0]), y1: 0, y2: MAP.top + MAP.height }),
      makeSvg("text", { x: x(role.lines[0]) + 5, y: 14 }, `role '${role.name}'`));
  const step = Math.max(1024, 2 ** Math.floor(Math.log2(Math.max(1, map.bytes) / 4)));
  const ticks = [map.bytes];
  for (let address = 0; address < map.bytes - step / 3; address += step) ticks.push(address);
  for (const address of ticks) {
    svg.append(makeSvg("line", { class: "axis", x1: MAP.left, x2: MAP.left + MAP.width, y1: y(address), y2: y(address) }),
      makeSvg("text", { x: MAP.left - 8, y: y(address) + 4, "text-anchor": "end" }, formatNumber(address)));
  }
  svg.append(makeSvg("text", { x: MAP.left, y: MAP.top - 6 }, `line ${map.lines[0]}`),
    makeSvg("text", { x: MAP.left + MAP.width, y: MAP.top - 6, "text-anchor": "end" }, `line ${map.lines[1]} of '${data.memoryPhase}'`));
  map.buffers.forEach((buffer, number) => {
    const height = Math.max(2, y(buffer.address + buffer.bytes) - y(buffer.address));
    const width = Math.max(3, x(buffer.alive[1] + 1) - x(buffer.alive[0]));
    svg.append(makeSvg("rect", {
      class: "buffer", x: x(buffer.alive[0]), y: y(buffer.address), width, height, rx: 2, style: `fill: ${getBufferFill(number)}`,
      onmousemove: (event) => showPopover(event, ...describeBuffer(buffer)), onmouseleave: hidePopover,
      onclick: () => { hidePopover(); goTo(buffer.places, data.memoryPhase, 0, buffer.line - 1); },
    }));
    if (height >= 14 && width > 120)
      svg.append(makeSvg("text", { x: x(buffer.alive[0]) + 6, y: y(buffer.address) + 14, style: "pointer-events: none; fill: var(--text)" },
        `${nameBuffer(buffer)}, ${formatNumber(buffer.bytes)} bytes`.slice(0, Math.floor(width / 6.4))));
  });
  return svg;
}

function showMemory(view, goTo) {
  view.append(make("h2", {}, "Shared memory"), make("p.hint", {}, data.memory.length
    ? "Down: addresses in bytes. Across: the lines of the phase, which are the time of a program; where roles run side by side, each has its own stretch. Two buffers share bytes only if they are not alive together."
    : "No phase that is shown has given addresses to buffers: phase 'allocate' does."));
  for (const map of data.memory) {
    view.append(make("h3", {}, `${map.kernel}: ${formatNumber(map.bytes)} bytes`));
    if (!map.buffers.length) continue;
    const order = map.buffers.map((buffer, number) => [buffer, number]).sort(([a], [b]) => a.address - b.address || a.line - b.line);
    view.append(drawMemory(map, goTo), make("table", {},
      make("tr", {}, make("th"), ["Address", "Bytes"].map((title) => make("th.number", {}, title)),
        ["Buffer", "Role", "Alive", "Place"].map((title) => make("th", {}, title))),
      order.map(([buffer, number]) => make("tr.pick", { onclick: () => goTo(buffer.places, data.memoryPhase, 0, buffer.line - 1) },
        make("td", {}, make("span", { style: `display: inline-block; width: 10px; height: 10px; border-radius: 2px; background: ${getBufferFill(number)}` })),
        make("td.number", {}, formatNumber(buffer.address)), make("td.number", {}, formatNumber(buffer.bytes)),
        make("td.mono", {}, nameBuffer(buffer)), make("td", {}, buffer.role), make("td", {}, `${buffer.alive[0]} to ${buffer.alive[1]}`),
        make("td.mono", {}, describePlaces(buffer))))));
  }
}
