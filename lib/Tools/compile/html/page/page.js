// The page: panes side by side, what is selected in all of them, and the other views.

const search = { pattern: null };
// An .mlir file as input is IR itself.
const sourceLevel = data.file.endsWith(".mlir") ? "ir" : "source";
const state = { view: "code", left: 0, right: 0, selection: null, active: null, wraps: true };

const onSelect = (listing, row, column, token) => {
  state.active = panes.find((pane) => pane.listing === listing) || state.active;
  if (listing === source) selectSource(row, column, column < 0 ? 0 : token.textContent.length);
  else selectPlaces(listing.origins[row]);
};
const onHover = (keys) => { for (const pane of panes) pane.hover(keys); };

function makePhaseTitle(side) {
  const choice = make("select", { "aria-label": side + " phase", onchange: () => showPhase(side, Number(choice.value)) },
    phases.map((phase, number) => make("option", { value: number }, phase.name)));
  return choice;
}

const choices = { left: makePhaseTitle("left"), right: makePhaseTitle("right") };
const summaries = { left: make("span.summary"), right: make("span.summary") };
const sourcePane = new Pane("source", { onSelect, onHover, title: make("span.summary", { title: data.file }, data.file.replace(/.*\//, "")) });
const left = new Pane("left", { onSelect, onHover, title: make("span.summary", {}, choices.left, " ", summaries.left) });
const right = new Pane("right", { onSelect, onHover, title: make("span.summary", {}, choices.right, " ", summaries.right) });
const panes = phases.length ? [sourcePane, left, right] : [sourcePane];
const chips = phases.map((phase, number) => make("button.chip", {
  title: `${phase.summary}\n${formatNumber(phase.lines.length)} lines` +
    (phase.isFirstOfLevel ? "" : `, of which ${phase.isNew.size} are new; ${phase.gone} are gone`) +
    "\nClick: beside the phase before. Shift+click: on the left.",
  onclick: (event) => (event.shiftKey ? showPhase("left", number) : showStep(number)),
}, make("span.name", {}, phase.name), make("small")));

//===--- Phases ------------------------------------------------------------===//

function showPhase(side, number) {
  state[side] = number;
  const pane = side === "left" ? left : right;
  choices[side].value = number;
  summaries[side].textContent = phases[number].summary;
  summaries[side].title = phases[number].summary;
  pane.show(phases[number]);
  pane.scroll.scrollTop = 0;
  pane.revealSelection();
  chips.forEach((chip, at) => {
    chip.classList.toggle("left", at === state.left);
    chip.classList.toggle("right", at === state.right);
  });
  chips[number].scrollIntoView({ block: "nearest", inline: "nearest" });
  remember();
}

/** A phase, with the phase before it on the left. */
function showStep(number) {
  const at = Math.max(0, Math.min(phases.length - 1, number));
  showPhase("left", Math.max(0, at - 1));
  showPhase("right", at);
}

function labelChips() {
  phases.forEach((phase, number) => {
    const label = chips[number].querySelector("small");
    const isIdle = !phase.isFirstOfLevel && phase.isNew.size === 0 && phase.gone === 0;
    chips[number].classList.toggle("idle", isIdle);
    if (state.selection) {
      const count = phase.findRows(state.selection.keys).length;
      label.replaceChildren(count ? make("b", {}, formatNumber(count)) : "–");
    } else if (phase.isFirstOfLevel) label.textContent = formatNumber(phase.lines.length);
    else label.textContent = isIdle ? "=" : `+${formatNumber(phase.isNew.size)} −${formatNumber(phase.gone)}`;
  });
}

//===--- Selection ---------------------------------------------------------===//

/** Selects a line of the source; a column within it that ops come from selects these above all. */
function selectSource(row, column = -1, length = 0) {
  const places = column < 0 ? [] : source.findPlaces(row, column, column + length);
  select({ keys: [getSourceKey(row + 1)], places: places.length ? places : source.placesByLine.get(row + 1) || [],
    isExact: places.length > 0 }, sourcePane);
}

function selectPlaces(places, from) {
  if (places && places.length) select({ keys: [...new Set(places.map(getKey))], places, isExact: true }, from || state.active);
}

/** Marks a selection in all panes, and shows it in all but the one that it was made in. */
function select(selection, from = null) {
  state.selection = selection;
  for (const pane of panes) {
    pane.at = undefined;
    pane.select(selection);
    if (selection && pane !== from) pane.revealSelection();
  }
  labelChips();
  showDetail();
  remember();
}

function showDetail() {
  const detail = byId("detail");
  const line = state.selection ? getSourceLine(state.selection.keys[0]) : 0;
  if (!line) {
    detail.replaceChildren(make("span.help", {}, "Click a line to see what comes from it in every phase; a name or operator in the source, for that alone. ",
      make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " phases  ", make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " lines of the source  ",
      make("kbd", {}, "N"), " next of these  ", make("kbd", {}, "/"), " search  ", make("kbd", {}, "W"), " wrap  ", make("kbd", {}, "Esc"), " none"));
    return;
  }
  const found = state.selection.keys.flatMap((key) => findMessages(getSourceLine(key)));
  detail.replaceChildren(
    make("div", {}, state.selection.isExact ? state.selection.places.map(formatPlace).join(", ") : `line ${line}`, "  ",
      make("code", {}, (source.lines[line - 1] || "").trim())),
    ...found.map(makeMessage));
}

/** From other views to the code: to places, in a phase, or to a line if nothing is known there. */
function goTo(places, phase, line = 0, row = -1) {
  showView("code");
  const number = phases.findIndex((candidate) => candidate.name === phase);
  if (number >= 0) showStep(number);
  if (places.length) selectPlaces(places, {});
  else if (line) selectSource(line - 1);
  if (row >= 0) right.reveal(row);
}

//===--- Views -------------------------------------------------------------===//

const views = {
  code: ["Code", () => {}],
  remarks: ["Remarks", showMessages],
  report: ["Report", showReport],
  memory: ["Shared memory", showMemory],
  layouts: ["Layouts", showLayouts],
  timeline: ["Timeline", showTimeline],
};
const filled = new Set();

function showView(name) {
  state.view = name;
  for (const [view] of Object.entries(views)) {
    byId("view-" + view).hidden = view !== name;
    byId("tab-" + view).setAttribute("aria-selected", view === name);
  }
  if (!filled.has(name)) {
    filled.add(name);
    views[name][1](byId("view-" + name), goTo);
  }
  byId("wrap").hidden = name !== "code";
  hidePopover();
  remember();
}

function makeTab(name) {
  const worst = ["error", "warning", "remark"].find((severity) => messages.some((message) => message.severity === severity));
  const count = name === "remarks" && messages.length ? make("span.count." + worst, {}, String(messages.length)) : "";
  return make("button", { id: "tab-" + name, role: "tab", onclick: () => showView(name) }, views[name][0], count);
}

//===--- The address, search and keys --------------------------------------===//

/** Keeps what is shown in the address, so that it can be sent and comes back. */
function remember() {
  if (!remember.isOn) return;
  const parts = new URLSearchParams({ view: state.view });
  if (phases.length) {
    parts.set("left", phases[state.left].name);
    parts.set("right", phases[state.right].name);
  }
  const line = state.selection ? getSourceLine(state.selection.keys[0]) : 0;
  if (line) parts.set("line", line);
  if (!state.wraps) parts.set("wrap", "off");
  history.replaceState(null, "", "#" + parts);
}

function restore() {
  const parts = new URLSearchParams(location.hash.slice(1));
  setWrap(parts.get("wrap") !== "off");
  const find = (name, other) => {
    const number = phases.findIndex((phase) => phase.name === parts.get(name));
    return number < 0 ? other : number;
  };
  if (phases.length) {
    const sm = phases.findIndex((phase) => phase.name === "sm");
    showPhase("left", find("left", 0));
    showPhase("right", find("right", sm < 0 ? phases.length - 1 : sm));
  }
  const line = Number(parts.get("line"));
  if (line > 0 && line <= source.lines.length) {
    selectSource(line - 1);
    sourcePane.reveal(line - 1);
  } else {
    // Kernels stand below long comments.
    const first = source.lines.findIndex((text, row) => source.isUsed(row));
    sourcePane.scroll.scrollTop = sourcePane.getTop(sourcePane.itemOfRow[Math.max(0, first - 2)]);
  }
  showView(views[parts.get("view")] ? parts.get("view") : "code");
}

/** Wraps long lines, or lets panes scroll to their ends. */
function setWrap(wraps) {
  state.wraps = wraps;
  byId("wrap").setAttribute("aria-pressed", wraps);
  for (const pane of panes) pane.layOut();
  remember();
}

function find(text, direction) {
  search.pattern = text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i") : null;
  for (const pane of panes) {
    pane.clear();
    if (!text) continue;
    const rows = pane.listing.lines.flatMap((line, row) => (search.pattern.test(line) ? [row] : []));
    const at = pane.searchRow ?? -1;
    const next = direction > 0 ? rows.find((row) => row > at) ?? rows[0] : rows[0];
    pane.searchRow = next;
    if (next !== undefined) pane.reveal(next);
  }
}

byId("search").addEventListener("input", (event) => {
  for (const pane of panes) pane.searchRow = undefined;
  find(event.target.value, 0);
});
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") find(event.target.value, 1);
  if (event.key === "Escape") { event.target.value = ""; find("", 0); event.target.blur(); }
  event.stopPropagation();
});

/** The next line of the source that something was made of. */
function stepLine(direction) {
  const used = source.lines.flatMap((line, row) => (source.isUsed(row) ? [row] : []));
  const at = state.selection ? getSourceLine(state.selection.keys[0]) - 1 : -1;
  const next = direction > 0 ? used.find((row) => row > at) : used.reverse().find((row) => row < at);
  if (next === undefined) return;
  selectSource(next);
  sourcePane.reveal(next);
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
  const keys = {
    "/": () => byId("search").focus(),
    Escape: () => { hidePopover(); select(null); },
    ArrowLeft: () => phases.length && showStep(state.right - 1),
    ArrowRight: () => phases.length && showStep(state.right + 1),
    ArrowUp: () => stepLine(-1),
    ArrowDown: () => stepLine(1),
    w: () => setWrap(!state.wraps),
    n: () => panes.forEach((pane) => pane.step(1)),
    N: () => panes.forEach((pane) => pane.step(-1)),
  };
  if (state.view !== "code" || !keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

//===--- Start -------------------------------------------------------------===//

/** A bar between two panes that moves their border, beside or above each other. A double click makes them equal. */
function makeSplitter() {
  return make("div.splitter", {
    title: "Drag to move the border, double-click for equal panes",
    ondblclick: () => { for (const pane of panes) pane.element.style.flexGrow = 1; },
    onpointerdown: (event) => {
      const bar = event.target, before = bar.previousSibling, after = bar.nextSibling;
      const isColumn = getComputedStyle(bar.parentNode).flexDirection === "column";
      const [size, at] = isColumn ? ["offsetHeight", "clientY"] : ["offsetWidth", "clientX"];
      const start = event[at], sizes = [before[size], after[size]];
      const sum = [before, after].reduce((total, pane) => total + Number(getComputedStyle(pane).flexGrow), 0);
      bar.setPointerCapture(event.pointerId);
      bar.onpointermove = (moved) => {
        const part = Math.max(0.1, Math.min(0.9, (sizes[0] + moved[at] - start) / (sizes[0] + sizes[1])));
        before.style.flexGrow = sum * part;
        after.style.flexGrow = sum * (1 - part);
      };
      bar.onpointerup = () => { bar.onpointermove = null; };
      event.preventDefault();
    },
  });
}

/** Lets the title of a pane be dragged to another pane, which takes its place. */
function makeMovable(pane) {
  pane.bar.draggable = true;
  pane.bar.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", pane.element.id));
  pane.element.addEventListener("dragover", (event) => event.preventDefault());
  pane.element.addEventListener("drop", (event) => {
    const moved = panes.find((other) => other.element.id === event.dataTransfer.getData("text/plain"));
    if (!moved || moved === pane) return;
    event.preventDefault();
    swapPanes(moved.element, pane.element);
  });
}

function swapPanes(one, other) {
  const mark = make("i");
  one.replaceWith(mark);
  other.replaceWith(one);
  mark.replaceWith(other);
}

function start() {
  const kernels = [...new Set((data.report || []).map((kernel) => kernel.name))];
  const target = data.report && data.report[0] ? data.report[0].target : "";
  byId("title").append(data.file.replace(/.*\//, ""), make("span", { title: data.file }, [" ", kernels.slice(0, 3).join(", "),
    kernels.length > 3 ? ` and ${kernels.length - 3} more` : "", target ? ` · ${target}` : ""].join("")));
  byId("tabs").append(...Object.keys(views).map(makeTab));
  panes.forEach((pane, number) => byId("panes").append(...(number ? [makeSplitter()] : []), pane.element));
  panes.forEach(makeMovable);
  byId("wrap").addEventListener("click", () => setWrap(!state.wraps));
  let level = "";
  phases.forEach((phase, number) => {
    if (phase.level !== level && phase.level !== "ptx") byId("strip").append(make("span.level", {}, phase.level));
    level = phase.level;
    byId("strip").append(chips[number]);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    panes.forEach((pane) => pane.drawRuler());
    // The pictures of layouts have the colours of the mode.
    byId("view-layouts").replaceChildren();
    filled.delete("layouts");
    if (state.view === "layouts") showView("layouts");
  });
  sourcePane.show(source, placeMessages());
  labelChips();
  showDetail();
  restore();
  remember.isOn = true;
}

start();
