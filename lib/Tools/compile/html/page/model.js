// What the compiler wrote into the page, and what follows from it. No elements here.

const data = JSON.parse(byId("data").textContent);
const sourceFile = data.files.indexOf(data.file);
const LINES_PER_FILE = 1 << 24;

/** One number for the file and line of a place. */
function getKey(place) {
  const [file, line] = data.places[place];
  return file * LINES_PER_FILE + line;
}

function getSourceKey(line) {
  return sourceFile * LINES_PER_FILE + line;
}

/** The line of the input that a key is for, or 0. */
function getSourceLine(key) {
  return Math.floor(key / LINES_PER_FILE) === sourceFile ? key % LINES_PER_FILE : 0;
}

/** "kernel.tile:12:9". */
function formatPlace(place) {
  const [file, line, column] = data.places[place];
  return `${data.files[file].replace(/.*\//, "")}:${line}:${column}`;
}

/** A text whose lines come from places of the source. */
class Listing {
  constructor(name, summary, level, text, origins) {
    Object.assign(this, { name, summary, level });
    this.lines = text.replace(/\n$/, "").split("\n");
    this.origins = origins.map((places) => (typeof places === "number" ? (places < 0 ? [] : [places]) : places));
    this.rowsByKey = new Map();
    this.origins.forEach((places, row) => {
      for (const key of new Set(places.map(getKey))) this.addRow(key, row);
    });
    this.longest = this.lines.reduce((most, line) => Math.max(most, line.length), 0);
  }

  addRow(key, row) {
    if (!this.rowsByKey.has(key)) this.rowsByKey.set(key, []);
    this.rowsByKey.get(key).push(row);
  }

  /** The keys of a row. */
  getKeys(row) {
    return (this.origins[row] || []).map(getKey);
  }

  /** Rows that come from any of the keys, in order. */
  findRows(keys) {
    const rows = new Set();
    for (const key of keys) for (const row of this.rowsByKey.get(key) || []) rows.add(row);
    return [...rows].sort((a, b) => a - b);
  }

  /** Layouts by the names that the text has for them. */
  get aliases() {
    if (!this.knownAliases) {
      this.knownAliases = new Map();
      for (const line of this.lines) {
        const match = /^(#\w+) = #sm\.layout<"(.*)">$/.exec(line);
        if (match) this.knownAliases.set(match[1], match[2]);
        else if (line && !line.startsWith("#")) break;
      }
    }
    return this.knownAliases;
  }
}

/** The input itself, each line of which is its own place. */
class Source extends Listing {
  constructor(text) {
    super("source", data.file, "source", text, []);
    this.lines.forEach((line, row) => this.addRow(getSourceKey(row + 1), row));
    this.placesByLine = new Map();
    data.places.forEach(([file, line], place) => {
      if (file !== sourceFile) return;
      if (!this.placesByLine.has(line)) this.placesByLine.set(line, []);
      this.placesByLine.get(line).push(place);
    });
  }

  getKeys(row) {
    return [getSourceKey(row + 1)];
  }

  /** Whether anything was made of a line. */
  isUsed(row) {
    return this.placesByLine.has(row + 1);
  }

  /** Places of a row whose column is from `first` to before `end`, counted from 0. */
  findPlaces(row, first, end) {
    return (this.placesByLine.get(row + 1) || []).filter((place) => {
      const column = this.getColumn(place);
      return column >= first && column < end;
    });
  }

  /** The word or sign that a place points at. */
  getWord(place) {
    const line = this.lines[data.places[place][1] - 1] || "";
    return data.places[place][0] === sourceFile ? (/^(\w+|\S)?/.exec(line.slice(this.getColumn(place)))[0] || "") : "";
  }

  /** The column of a place, from 0. */
  getColumn(place) {
    return data.places[place][2] - 1;
  }
}

const source = new Source(data.source);
const phases = data.phases.map((phase) => new Listing(phase.name, phase.summary, phase.level, phase.text, phase.lines));

/** A line without names that are counted through, to compare phases. */
function normalize(line, aliases) {
  return line
    .trim()
    .replace(/%[\w#]+(:\d+)?/g, "%")
    .replace(/#layout\d*/g, (name) => aliases.get(name) || name)
    .replace(/tile\.phase = "[^"]*"/, "");
}

// Which rows of a phase the phase before lacks, and how many of its rows are gone; levels are not compared.
phases.forEach((phase, number) => {
  const before = phases[number - 1];
  phase.isNew = new Set();
  phase.gone = 0;
  phase.isFirstOfLevel = !before || before.level !== phase.level;
  if (phase.isFirstOfLevel) return;
  const left = new Map();
  for (const line of before.lines) {
    if (line.startsWith("#layout")) continue;
    const key = normalize(line, before.aliases);
    left.set(key, (left.get(key) || 0) + 1);
  }
  phase.lines.forEach((line, row) => {
    if (line.startsWith("#layout")) return;
    const key = normalize(line, phase.aliases);
    const count = left.get(key) || 0;
    if (count) left.set(key, count - 1);
    else phase.isNew.add(row);
  });
  for (const count of left.values()) phase.gone += count;
});

/** Messages that say the same of one place in one phase, once, with how often. */
function collectMessages() {
  const known = new Map();
  for (const message of data.messages) {
    const id = JSON.stringify([message.severity, message.text, message.places, message.phase]);
    if (known.has(id)) known.get(id).times++;
    else known.set(id, { ...message, times: 1, phaseName: phases[message.phase] ? phases[message.phase].name : "" });
  }
  return [...known.values()];
}
const messages = collectMessages();

/** Messages at a line of the input. */
function findMessages(line) {
  const key = getSourceKey(line);
  return messages.filter((message) => message.places.some((place) => getKey(place) === key));
}
