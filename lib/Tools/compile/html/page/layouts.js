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

/** The names of axes in cells: "w2 l31 r5". */
const AXIS_LETTERS = { register: "r", lane: "l", warp: "w" };
const CELL = { width: 46, height: 28, columns: 16, rows: 8, left: 34, top: 18 };

/** A layout with the places of its elements as numbers of warps, lanes and registers. */
class LayoutPicture {
  constructor(text) {
    this.layout = evaluateLayout(data.layouts[text]);
    this.columns = this.layout.shape[this.layout.shape.length - 1];
    this.rows = this.layout.holders.length / this.columns;
    this.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.axes = Object.fromEntries(Object.keys(AXIS_LETTERS).map((name) =>
      [name, this.layout.axes.findIndex(([axis]) => axis === name)]));
  }

  /** The number of an axis that holds an element; 0 without the axis. */
  getNumber(element, name) {
    const axis = this.axes[name];
    return axis < 0 ? 0 : splitPlace(this.layout, this.layout.holders[element])[axis];
  }

  getWarp(row, column) {
    return this.getNumber(row * this.columns + column, "warp");
  }

  /** The hue of the warp, in the shade of the lane. */
  getColour(element) {
    const { lane, warp } = this.axes, { axes } = this.layout;
    const part = (name) => (this.axes[name] < 0 ? 0 : this.getNumber(element, name) / axes[this.axes[name]][1]);
    const hue = warp < 0 ? 210 : (this.getNumber(element, "warp") * 360) / Math.max(4, axes[warp][1]);
    const shade = lane < 0 ? part("register") : part("lane");
    return `hsl(${hue} 55% ${this.isDark ? 22 + 34 * shade : 90 - 36 * shade}%)`;
  }

  describe(row, column) {
    const element = row * this.columns + column;
    const numbers = splitPlace(this.layout, this.layout.holders[element]);
    const more = this.layout.copies[element] - 1;
    return `element (${this.layout.shape.length > 1 ? row + ", " : ""}${column}): ` +
      this.layout.axes.map(([axis], i) => `${axis} ${numbers[i]}`).join(", ") + (more ? `, and ${more} more` : "");
  }

  /** All elements, with row and column numbers at the edges and a name at each part of a warp. */
  drawAll(extent) {
    const size = Math.max(1, Math.min(16, Math.floor(extent / Math.max(this.columns, this.rows))));
    const [left, top] = [30, 16];
    const [canvas, context] = makeCanvas(left + this.columns * size + 1, top + Math.max(this.rows * size, 4) + 1);
    context.font = "10px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = themed("--dim");
    const step = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].find((count) => count * size >= 30) || 1024;
    for (let column = 0; column < this.columns; column += step) context.fillText(column, left + column * size, top / 2);
    for (let row = 0; row < this.rows; row += Math.max(1, step / 2)) context.fillText(row, 4, top + row * size + 6);
    for (let element = 0; element < this.layout.holders.length; element++) {
      context.fillStyle = this.getColour(element);
      context.fillRect(left + (element % this.columns) * size, top + Math.floor(element / this.columns) * size, size, size);
    }
    this.outlineWarps(context, left, top, size);
    return { canvas, left, top, size };
  }

  /** Draws the borders between warps, and the name of a warp in each rectangle that it holds. */
  outlineWarps(context, left, top, size) {
    if (this.axes.warp < 0) return;
    const seen = new Set();
    for (let row = 0; row < this.rows; row++)
      for (let column = 0; column < this.columns; column++) {
        const warp = this.getWarp(row, column), x = left + column * size, y = top + row * size;
        context.fillStyle = themed("--bg");
        if (column && this.getWarp(row, column - 1) !== warp) context.fillRect(x, y, 1, size);
        if (row && this.getWarp(row - 1, column) !== warp) context.fillRect(x, y, size, 1);
        if (seen.has(warp)) continue;
        seen.add(warp);
        let width = 1, height = 1;
        while (column + width < this.columns && this.getWarp(row, column + width) === warp) width++;
        while (row + height < this.rows && this.getWarp(row + height, column) === warp) height++;
        this.labels = this.labels || [];
        this.labels.push({ warp, x, y, width: width * size, height: height * size });
      }
    context.fillStyle = this.isDark ? "#fff" : "#000";
    for (const { warp, x, y, width, height } of this.labels || [])
      if (height >= 12 && width >= 16) context.fillText(width >= 50 ? `warp ${warp}` : warp, x + 4, y + 8);
  }

  /** A part of the elements from a row and column on, with warp, lane and register in each cell. */
  drawPart(row, column, columns) {
    const width = Math.min(columns, this.columns), height = Math.min(CELL.rows, this.rows);
    const firstRow = Math.max(0, Math.min(row, this.rows - height));
    const firstColumn = Math.max(0, Math.min(column, this.columns - width));
    const [canvas, context] = makeCanvas(CELL.left + width * CELL.width + 1, CELL.top + height * CELL.height + 1);
    context.font = "10px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    const text = themed("--text"), dim = themed("--dim");
    for (let x = 0; x < width; x++) {
      context.fillStyle = dim;
      context.fillText(firstColumn + x, CELL.left + x * CELL.width + 3, CELL.top / 2);
    }
    for (let y = 0; y < height; y++) {
      context.fillStyle = dim;
      context.fillText(firstRow + y, 4, CELL.top + (y + 0.5) * CELL.height);
      for (let x = 0; x < width; x++) {
        const element = (firstRow + y) * this.columns + firstColumn + x;
        const at = [CELL.left + x * CELL.width, CELL.top + y * CELL.height];
        context.fillStyle = this.getColour(element);
        context.fillRect(at[0], at[1], CELL.width - 1, CELL.height - 1);
        context.fillStyle = text;
        const name = (axis) => (this.axes[axis] < 0 ? "" : AXIS_LETTERS[axis] + this.getNumber(element, axis));
        context.fillText(`${name("warp")} ${name("lane")}`.trim(), at[0] + 4, at[1] + 9);
        context.fillText(name("register"), at[0] + 4, at[1] + 20);
      }
    }
    return { canvas, firstRow, firstColumn, width, height };
  }
}

/** A picture of a layout; the pointer asks who holds an element. With `isLarge`, a part of it is enlarged below. */
function drawLayout(text, isLarge = false) {
  const picture = new LayoutPicture(text);
  const room = Math.min(isLarge ? 560 : 400, innerWidth - 90);
  const { canvas, left, top, size } = picture.drawAll(room);
  const who = make("div.who", {}, describeAxes(picture.layout));
  const frame = make("div.frame");
  const part = make("div.part");
  const show = (row, column) => {
    if (!isLarge) return;
    const columns = Math.max(4, Math.min(CELL.columns, Math.floor((innerWidth - 60 - CELL.left) / CELL.width)));
    const drawn = picture.drawPart(row - CELL.rows / 2, column - columns / 2, columns);
    part.replaceChildren(drawn.canvas);
    Object.assign(frame.style, { left: left + drawn.firstColumn * size - 1 + "px", top: top + drawn.firstRow * size - 1 + "px",
      width: drawn.width * size + 2 + "px", height: drawn.height * size + 2 + "px" });
  };
  canvas.addEventListener("pointermove", (event) => {
    const clamp = (value, end) => Math.max(0, Math.min(end - 1, Math.floor(value / size)));
    const row = clamp(event.offsetY - top, picture.rows), column = clamp(event.offsetX - left, picture.columns);
    who.textContent = picture.describe(row, column);
    show(row, column);
  });
  canvas.addEventListener("pointerleave", () => { who.textContent = describeAxes(picture.layout); });
  show(0, 0);
  return make("div.layout", {}, make("div.text", {}, text), make("div.picture", {}, canvas, isLarge ? frame : ""), who, part);
}

function describeAxes(layout) {
  const axes = layout.axes.map(([axis, size]) => `${size} ${axis}s`).join(" × ");
  return `${layout.shape.join("×")} elements, ${axes}: a hue for each warp, a shade for each lane.`;
}

function showLayouts(view) {
  const texts = Object.keys(data.layouts);
  view.append(make("h2", {}, "Layouts"),
    make("p.hint", {}, texts.length
      ? "The register (r) of the lane (l) of the warp (w) that holds an element of a tile. Point at an element to enlarge its " +
        "part of the tile. In the code, point at the name of a layout."
      : "No visible phase has layouts: they come with the sm level."));
  const countElements = (text) => data.layouts[text].shape.reduce((product, extent) => product * extent, 1);
  texts.sort((a, b) => countElements(b) - countElements(a));
  for (const text of texts) view.append(drawLayout(text, true));
}
