// What each kernel takes of the machine.

/** A text with its places as links. */
function linkPlaces(text, goTo) {
  const name = data.file.replace(/.*\//, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const parts = text.split(new RegExp(`(${name}:\\d+:\\d+)`));
  return parts.map((part, number) => {
    if (number % 2 === 0) return part;
    const [line, column] = part.split(":").slice(-2).map(Number);
    const places = data.places.flatMap((place, at) =>
      place[0] === sourceFile && place[1] === line && place[2] === column ? [at] : []);
    return make("a", { onclick: () => goTo(places, null, line) }, part);
  });
}

function makeFact(value, name, part, isBad) {
  const bar = part === undefined ? "" : make("div.bar-of", {}, make("i", { style: `width: ${Math.min(100, 100 * part)}%` }));
  return make("div.fact" + (isBad ? ".bad" : ""), {}, make("b", {}, value), make("span", {}, name), bar);
}

function showReport(view, goTo) {
  if (!data.report || !data.report.length)
    view.append(make("h2", {}, "Report"), make("p.hint", {},
      data.report ? "No kernel has come to the sm level." : "The compilation ended before there was a report."));
  for (const kernel of data.report || []) {
    const facts = [
      makeFact(kernel.threads, "threads"),
      makeFact(formatNumber(kernel.sharedMemory), `of ${formatNumber(kernel.sharedMemoryPerBlock)} bytes of shared memory`,
        kernel.sharedMemory / kernel.sharedMemoryPerBlock),
      makeFact(kernel.ctas, `CTAs per multiprocessor, by ${kernel.limit}`),
    ];
    if (kernel.ptxas) {
      const spilled = kernel.ptxas.spillStores + kernel.ptxas.spillLoads;
      facts.push(makeFact(kernel.ptxas.registers, "registers at entry"),
        makeFact(formatNumber(spilled), "bytes spilled", undefined, spilled > 0),
        makeFact(kernel.ptxas.barriers, "barriers"));
    }
    view.append(make("h2", {}, kernel.name, " "), make("div.facts", {}, facts));
    for (const { title, lines } of kernel.sections) {
      const counts = new Map();
      for (const line of lines) counts.set(line, (counts.get(line) || 0) + 1);
      view.append(make("h3", {}, title), make("table", {},
        [...counts].map(([line, times]) => make("tr", {},
          make("td.mono", {}, linkPlaces(line, goTo), times > 1 ? ` (${times} times)` : "")))));
    }
  }
}
