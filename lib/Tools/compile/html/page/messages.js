// Remarks, warnings and errors.

function makeMessage(message) {
  return make("div.message." + message.severity, {},
    message.phaseName ? make("span.phase", {}, message.phaseName) : "", message.text,
    message.times > 1 ? ` (${message.times} times)` : "",
    (message.notes || []).map((note) => makeMessage({ ...note, times: 1 })));
}

/** Messages, and their notes, by the row of the source that they stand at. */
function placeMessages() {
  const byRow = new Map();
  const add = (message) => {
    for (const row of new Set(message.places.map((place) => getSourceLine(getKey(place)) - 1)))
      if (row >= 0) byRow.set(row, (byRow.get(row) || []).concat(message));
    for (const note of message.notes || []) add(note);
  };
  messages.forEach(add);
  return byRow;
}

function showMessages(view, goTo) {
  view.append(make("h2", {}, "Remarks"),
    make("p.hint", {}, messages.length
      ? "What each pass did and what it refused, and warnings, in the order of the phases. A click leads to the line."
      : "Nothing was said."));
  if (!messages.length) return;
  view.append(make("table", {},
    make("tr", {}, ["", "Phase", "Place", "Text"].map((title) => make("th", {}, title))),
    messages.map((message) => make("tr.pick." + message.severity, {
      onclick: () => goTo(message.places, message.phaseName),
    },
      make("td", {}, message.severity), make("td", {}, message.phaseName),
      make("td.mono", {}, message.places.map(formatPlace).join(", ")),
      make("td", {}, message.text, message.times > 1 ? ` (${message.times} times)` : "",
        (message.notes || []).map((note) => makeMessage({ ...note, times: 1 })))))));
}
