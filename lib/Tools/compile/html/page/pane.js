// A pane shows a listing. Only the rows in view are elements: a phase may have ten thousand.

const ROW_HEIGHT = 18;
const ROWS_AROUND = 12;
/** Width of the line number and its gaps, and the free space at the right, in pixels. */
const GUTTER = 64, RIGHT = 14;
/** Further indentation of the second and later rows of a wrapped line, in columns. */
const HANG = 4;

/** Returns the number of columns that a text takes in a monospaced font. */
function countColumns(text) {
  let columns = 0;
  for (const char of text) columns += char === "\t" ? 8 - (columns % 8) : char >= "\u2e80" ? 2 : 1;
  return columns;
}

/** Returns where a line wraps at a number of columns, and the indentation of its later rows. Breaks after spaces and
 * commas if possible. */
function wrapLine(text, columns) {
  if (countColumns(text) <= columns) return { breaks: [], indent: 0 };
  const indent = Math.min(countColumns(/^\s*/.exec(text)[0]) + HANG, Math.floor(columns / 2));
  const breaks = [];
  let begin = 0, room = columns;
  while (countColumns(text.slice(begin)) > room) {
    let end = begin, width = 0;
    while (width + countColumns(text[end]) <= room) width += countColumns(text[end++]);
    const isLate = (at) => at > begin + (end - begin) / 2;
    const find = (sign) => text.lastIndexOf(sign, end - 1) + 1;
    begin = [find(" "), find(","), end].find(isLate);
    breaks.push(begin);
    room = columns - indent;
  }
  return { breaks, indent };
}

/** Returns the parts of a text that begins at `first`, with a line break between them at each of `breaks`. */
function splitAt(text, first, breaks) {
  const cuts = breaks.map((at) => at - first).filter((at) => at >= 0 && at < text.length);
  const parts = [];
  let begin = 0;
  for (const cut of cuts) {
    parts.push(text.slice(begin, cut), make("br"));
    begin = cut;
  }
  return [...parts, text.slice(begin)];
}

/** Returns the width of a column in pixels. */
function measureColumn() {
  const probe = make("span.row", { style: "visibility: hidden; min-width: 0; padding: 0" }, "0".repeat(100));
  document.body.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return width;
}

class Pane {
  /** `onSelect(listing, row, column)` on clicks, `onHover(keys)` on moves. */
  constructor(id, { onSelect, onHover, title }) {
    this.items = [];
    this.shown = new Map();
    this.selection = null;
    this.near = new Set();
    this.rows = make("div.rows");
    this.scroll = make("div.scroll", { tabindex: 0, onscroll: () => this.schedule() }, this.rows);
    this.ruler = make("canvas.ruler", { title: "Lines of the selection", onclick: (event) => this.jump(event) });
    this.found = make("span.found");
    this.title = title;
    this.bar = make("div.bar", {}, title, this.found,
      make("button", { title: "Line of the selection before (Shift+N)", onclick: () => this.step(-1) }, "‹"),
      make("button", { title: "Next line of the selection (N)", onclick: () => this.step(1) }, "›"));
    this.element = make("div.pane", { id }, this.bar, make("div.body", {}, this.scroll, this.ruler));
    this.rows.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) onSelect(this.listing, Number(row.dataset.line) - 1, Number(event.target.dataset.column ?? -1), event.target);
    });
    this.rows.addEventListener("mousemove", (event) => {
      const row = event.target.closest(".row");
      onHover(row ? this.listing.getKeys(Number(row.dataset.line) - 1) : []);
      this.markValue(event.target.classList.contains("v") ? event.target.textContent : null);
    });
    this.rows.addEventListener("mouseleave", () => { onHover([]); this.markValue(null); });
    this.rows.addEventListener("mouseover", (event) => {
      const layout = event.target.dataset && event.target.dataset.layout;
      if (layout) showPopover(event, drawLayout(layout));
    });
    this.rows.addEventListener("mouseout", (event) => {
      if (event.target.dataset && event.target.dataset.layout) hidePopover();
    });
    new ResizeObserver(() => { this.layOut(); this.schedule(); this.drawRuler(); }).observe(this.scroll);
  }

  /** Returns the text of an item: a line, or a message below it. */
  getText({ row, message }) {
    return message
      ? (message.severity === "remark" ? "▸ " : "▲ ") + message.text + (message.times > 1 ? ` (${message.times} times)` : "")
      : this.listing.lines[row];
  }

  /** Places the items: `tops` counts the rows above each one. Keeps the first visible item where it is. */
  layOut() {
    if (!this.listing) return;
    const width = this.scroll.clientWidth - GUTTER - RIGHT;
    const columns = state.wraps ? Math.max(24, Math.floor(width / (this.column ??= measureColumn()))) : Infinity;
    if (columns === this.columns) return;
    const first = this.tops ? this.findItem(this.scroll.scrollTop) : 0;
    this.columns = columns;
    this.tops = [0];
    this.wraps = this.items.map((item) => wrapLine(this.getText(item), columns));
    for (const { breaks } of this.wraps) this.tops.push(this.tops[this.tops.length - 1] + 1 + breaks.length);
    this.scroll.classList.toggle("wrap", state.wraps);
    this.rows.style.height = this.getTop(this.items.length) + "px";
    this.rows.style.width = state.wraps ? "100%" : `calc(${this.listing.longest + 4}ch + 100px)`;
    this.scroll.scrollTop = this.getTop(Math.min(first, this.items.length));
    this.clear();
    this.drawRuler();
  }

  getTop(item) {
    return this.tops[item] * ROW_HEIGHT;
  }

  /** Returns the number of the item at a height, by binary search. */
  findItem(height) {
    const row = height / ROW_HEIGHT;
    let low = 0, high = this.items.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.tops[middle] <= row) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Shows a listing; `notes` are messages by row, which stand below it. */
  show(listing, notes = new Map()) {
    this.listing = listing;
    this.items = [];
    this.itemOfRow = [];
    listing.lines.forEach((line, row) => {
      this.itemOfRow.push(this.items.length);
      this.items.push({ row });
      for (const message of notes.get(row) || []) this.items.push({ row, message });
    });
    this.rows.style.fontFamily = "var(--mono)";
    this.rows.style.fontSize = "12px";
    this.columns = this.tops = undefined;
    this.layOut();
    this.select(this.selection);
  }

  clear() {
    this.rows.replaceChildren();
    this.shown.clear();
    this.schedule();
  }

  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => { this.isScheduled = false; this.render(); });
  }

  render() {
    if (!this.tops) return;
    const first = Math.max(0, this.findItem(this.scroll.scrollTop) - ROWS_AROUND);
    const end = Math.min(this.items.length,
      this.findItem(this.scroll.scrollTop + this.scroll.clientHeight) + 1 + ROWS_AROUND);
    for (const [item, element] of this.shown)
      if (item < first || item >= end) { element.remove(); this.shown.delete(item); }
    const added = document.createDocumentFragment();
    for (let item = first; item < end; item++) {
      if (this.shown.has(item)) continue;
      const element = this.makeRow(item);
      this.shown.set(item, element);
      added.append(element);
    }
    this.rows.append(added);
  }

  makeRow(item) {
    const { row, message } = this.items[item];
    const number = make("span.no", {}, message ? "" : String(row + 1));
    const element = make("div.row", { "data-line": row + 1 }, number);
    element.style.top = this.getTop(item) + "px";
    element.style.height = this.getTop(item + 1) - this.getTop(item) + "px";
    const { breaks, indent } = this.wraps[item];
    if (indent) {
      element.style.paddingLeft = `calc(${GUTTER}px + ${indent}ch)`;
      element.style.textIndent = `-${indent}ch`;
    }
    if (message) {
      element.classList.add("note", message.severity);
      element.title = message.text;
      element.append(...splitAt(this.getText(this.items[item]), 0, breaks));
      return element;
    }
    const line = getSourceLine(this.listing.getKeys(row)[0] ?? -1);
    const isLinked = this.listing === source ? source.isUsed(row) : line > 0;
    if (isLinked) {
      element.classList.add("linked");
      number.style.borderRightColor = getStripe(line);
    }
    if (this.listing.isNew && this.listing.isNew.has(row)) element.classList.add("new");
    this.appendText(element, row, breaks);
    this.markRow(element, row);
    return element;
  }

  appendText(element, row, breaks) {
    const level = { source: sourceLevel, ptx: "ptx" }[this.listing.level] || "ir";
    let tokens = tokenize(this.listing.lines[row], level);
    if (this.listing === source) tokens = splitWords(tokens);
    for (const [kind, text, first] of tokens) {
      const token = make(kind ? "span." + kind : "span", { "data-column": first }, splitAt(text, first, breaks));
      const layout = kind === "l" && (this.listing.aliases.get(text) || (/"(.*)"/.exec(text) || [])[1]);
      if (layout && data.layouts[layout]) token.dataset.layout = layout;
      if (search.pattern && search.pattern.test(text)) token.classList.add("hit");
      element.append(token);
    }
  }

  /** What the selection and the pointer make of a row. */
  markRow(element, row) {
    const { same, exact, columns } = this.marks || {};
    element.classList.toggle("same", Boolean(same && same.has(row) && !exact.has(row)));
    element.classList.toggle("exact", Boolean(exact && exact.has(row)));
    element.classList.toggle("near", this.near.has(row));
    if (this.listing !== source) return;
    for (const token of element.querySelectorAll("[data-column]")) {
      const first = Number(token.dataset.column);
      const end = first + token.textContent.length;
      token.classList.toggle("at", Boolean(columns && columns.some(([at, column]) => at === row && column >= first && column < end)));
    }
  }

  markAll() {
    for (const [item, element] of this.shown)
      if (!this.items[item].message) this.markRow(element, this.items[item].row);
  }

  markValue(name) {
    if (this.hotValue === name) return;
    this.hotValue = name;
    for (const token of this.rows.querySelectorAll(".v")) token.classList.toggle("hot", token.textContent === name);
  }

  hover(keys) {
    const near = new Set(this.listing.findRows(keys));
    if (near.size === 0 && this.near.size === 0) return;
    this.near = near;
    this.markAll();
  }

  /** Marks the rows of a selection, { keys, places }, or none. */
  select(selection) {
    this.selection = selection;
    this.marks = null;
    this.found.textContent = "";
    if (selection) {
      const rows = this.listing.findRows(selection.keys);
      const places = new Set(selection.places);
      const exact = new Set(this.listing === source
        ? (selection.isExact ? [] : rows)
        : rows.filter((row) => this.listing.origins[row].some((place) => places.has(place))));
      const columns = this.listing === source && selection.isExact
        ? selection.places.filter((place) => data.places[place][0] === sourceFile)
            .map((place) => [data.places[place][1] - 1, source.getColumn(place)])
        : null;
      this.marks = { same: new Set(rows), exact, columns, rows };
      if (this.listing !== source)
        this.found.textContent = rows.length === 1 ? "1 line" : `${formatNumber(rows.length)} lines`;
    }
    this.markAll();
    this.drawRuler();
  }

  /** Scrolls so that a row is in view, with some rows around it. */
  reveal(row) {
    const top = this.getTop(this.itemOfRow[row]);
    const height = this.scroll.clientHeight;
    if (top >= this.scroll.scrollTop + ROW_HEIGHT && top + 4 * ROW_HEIGHT <= this.scroll.scrollTop + height) return;
    this.scroll.scrollTop = Math.max(0, top - height / 3);
    this.schedule();
  }

  /** The start of the longest stretch of exact rows, or else of those of the line: what is hoisted stands alone. */
  revealSelection() {
    if (!this.marks || !this.marks.rows.length) return;
    const rows = this.marks.exact.size ? this.marks.rows.filter((row) => this.marks.exact.has(row)) : this.marks.rows;
    let best = rows[0], most = 0, first = 0;
    rows.forEach((row, at) => {
      if (at && row - rows[at - 1] > 2) first = at;
      if (at - first + 1 > most) [most, best] = [at - first + 1, rows[first]];
    });
    this.reveal(best);
  }

  /** Goes to the next row of the selection below or above what is in view. */
  step(direction) {
    const rows = this.marks && this.marks.exact.size ? [...this.marks.exact].sort((a, b) => a - b) : this.marks && this.marks.rows;
    if (!rows || !rows.length) return;
    const height = this.scroll.clientHeight;
    const middle = this.at ?? this.findItem(this.scroll.scrollTop + height / 3);
    const after = direction > 0 ? rows.find((row) => this.itemOfRow[row] > middle)
                                : [...rows].reverse().find((row) => this.itemOfRow[row] < middle);
    const row = after ?? (direction > 0 ? rows[0] : rows[rows.length - 1]);
    this.at = this.itemOfRow[row];
    this.scroll.scrollTop = this.getTop(this.at) - height / 3;
  }

  drawRuler() {
    const height = this.scroll.clientHeight;
    const scale = devicePixelRatio || 1;
    this.ruler.width = 12 * scale;
    this.ruler.height = height * scale;
    if (!this.marks || !this.items.length || !this.tops) return;
    const context = this.ruler.getContext("2d");
    context.scale(scale, scale);
    const draw = (rows, color) => {
      context.fillStyle = color;
      for (const row of rows) context.fillRect(2, (this.getTop(this.itemOfRow[row]) / this.getTop(this.items.length)) * height, 8, 2.5);
    };
    draw(this.marks.rows, themed("--warning"));
    draw(this.marks.exact, themed("--accent"));
  }

  jump(event) {
    const part = event.offsetY / this.scroll.clientHeight;
    this.scroll.scrollTop = part * this.getTop(this.items.length) - this.scroll.clientHeight / 2;
  }
}
