// Pictures of layouts: who holds which element.

/** For each element, in the order of rows, the numbers of the first place that holds it, and how many hold it. */
function evaluateLayout(layout) {
  if (layout.holders) return layout;
  const elements = layout.shape.reduce((product, extent) => product * extent, 1);
  const sizes = layout.axes.map(([, size]) => size);
  const places = sizes.reduce((product, size) => product * size, 1);
  const holders = new Int32Array(elements).fill(-1);
  const copies = new Int32Array(elements);
  for (let place = 0; place < places; place++) {
    const numbers = splitPlace(layout, place);
    const bits = layout.shape.map(() => 0);
    const sums = layout.shape.map(() => 0);
    for (const digit of layout.digits) {
      const value = Math.floor(numbers[digit.axis] / digit.place) % digit.count;
      digit.stride.forEach((stride, dim) => {
        if (digit.bit) bits[dim] ^= value * stride;
        else sums[dim] += value * stride;
      });
    }
    let element = 0;
    layout.shape.forEach((extent, dim) => { element = element * extent + bits[dim] + sums[dim]; });
    if (holders[element] < 0) holders[element] = place;
    copies[element]++;
  }
  return Object.assign(layout, { holders, copies });
}

/** The number on each axis, the first axis running fastest. */
function splitPlace(layout, place) {
  return layout.axes.map(([, size]) => {
    const number = place % size;
    place = Math.floor(place / size);
    return number;
  });
}

/** A picture with the hue of the warp and the shade of the lane; the pointer asks who holds an element. */
function drawLayout(text) {
  const layout = evaluateLayout(data.layouts[text]);
  const columns = layout.shape[layout.shape.length - 1];
  const rows = layout.holders.length / columns;
  const size = Math.max(1, Math.min(14, Math.floor(Math.max(400, 2 * columns) / Math.max(columns, rows))));
  const canvas = make("canvas", { width: columns * size, height: Math.max(rows * size, 1) });
  const who = make("div.who", {}, describeAxes(layout));
  const context = canvas.getContext("2d");
  const find = (name) => layout.axes.findIndex(([axis]) => axis === name);
  const [register, lane, warp] = [find("register"), find("lane"), find("warp")];
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  layout.holders.forEach((place, element) => {
    const numbers = splitPlace(layout, place);
    const get = (axis) => (axis < 0 ? 0 : numbers[axis]);
    const part = (axis) => (axis < 0 ? 0 : numbers[axis] / layout.axes[axis][1]);
    const hue = warp < 0 ? 210 : (get(warp) * 360) / Math.max(4, layout.axes[warp][1]);
    const shade = lane < 0 ? part(register) : part(lane);
    context.fillStyle = `hsl(${hue} 55% ${isDark ? 22 + 40 * shade : 88 - 42 * shade}%)`;
    const x = (element % columns) * size, y = Math.floor(element / columns) * size;
    context.fillRect(x, y, size, size);
    // The element of register 0 of each thread.
    if (size >= 4 && get(register) === 0 && register >= 0) {
      context.fillStyle = isDark ? "rgb(255 255 255 / 55%)" : "rgb(0 0 0 / 45%)";
      context.fillRect(x + size / 2 - 1, y + size / 2 - 1, 2, 2);
    }
  });
  canvas.addEventListener("mousemove", (event) => {
    const column = Math.min(columns - 1, Math.floor(event.offsetX / size));
    const row = Math.min(rows - 1, Math.floor(event.offsetY / size));
    const element = row * columns + column;
    const numbers = splitPlace(layout, layout.holders[element]);
    const more = layout.copies[element] - 1;
    who.textContent = `element (${layout.shape.length > 1 ? row + ", " : ""}${column}): ` +
      layout.axes.map(([axis], i) => `${axis} ${numbers[i]}`).join(", ") + (more ? `, and ${more} more` : "");
  });
  canvas.addEventListener("mouseleave", () => { who.textContent = describeAxes(layout); });
  return make("div.layout", {}, make("div.text", {}, text), canvas, who);
}

function describeAxes(layout) {
  const axes = layout.axes.map(([axis, size]) => `${size} ${axis}s`).join(" × ");
  return `${layout.shape.join("×")} elements, ${axes}: a hue for each warp, darker with the lane, a dot at register 0.`;
}

function showLayouts(view) {
  const texts = Object.keys(data.layouts);
  view.append(make("h2", {}, "Layouts"),
    make("p.hint", {}, texts.length
      ? "Which register of which thread holds an element of a tile. Point at an element. In the code, point at the name of a layout."
      : "No phase that is shown has layouts: they come with the sm level."));
  const countElements = (text) => data.layouts[text].shape.reduce((product, extent) => product * extent, 1);
  texts.sort((a, b) => countElements(b) - countElements(a));
  for (const text of texts) view.append(drawLayout(text));
}
