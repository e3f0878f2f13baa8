"""Tests pages of `tilec --html` in a browser, as a user does. Usage: html_page.py KERNEL.tile SCRATCH

The marks of a click on a line are compared with the output of `--print-locations`, from which the page is not made.
"""

import pathlib
import re
import subprocess
import sys
from typing import Dict, List, Set, Tuple

from browser import Browser

Place = Tuple[int, int]


def tilec(*arguments: str, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run(["tilec", *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == status, f"tilec gives {done.returncode}", done.stderr)
    return done


def expect(condition: object, *what: object) -> None:
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def expect_equal(got: object, expected: object, what: str) -> None:
    expect(got == expected, f"{what}: got {got!r}, expected {expected!r}")


# Locations as they are printed: directly, or by names that may combine several.
LOCATION = re.compile(r" loc\((#loc\d*|\"[^\"]*\":\d+:\d+|unknown|fused\[.*?\])\)")


def read_printed(text: str) -> Tuple[List[str], List[Set[Place]]]:
    """Returns the lines of IR without locations, and the places of the op that begins in each line."""
    names: Dict[str, str] = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))

    def resolve(location: str) -> Set[Place]:
        places = {(int(line), int(column)) for line, column in re.findall(r'":(\d+):(\d+)', location)}
        for name in re.findall(r"#loc\d*", location):
            places |= resolve(names[name])
        return places

    lines, places = [], []
    open_at: Dict[int, int] = {}
    for line in text.splitlines():
        if line.startswith("#loc"):
            continue
        found = LOCATION.findall(line)
        bare = LOCATION.sub("", line)
        indent = len(bare) - len(bare.lstrip())
        # An op with regions has its location after them, and names the locations of its arguments at its beginning.
        begins = not bare.strip().startswith("}")
        if begins:
            open_at[indent] = len(lines)
        lines.append(bare)
        places.append(set())
        if found and not bare.endswith("{"):
            places[len(lines) - 1 if begins else open_at[indent]] |= resolve(found[-1])
    return lines, places


class Page:
    """The requests of a test to a page."""

    def __init__(self, browser: Browser):
        self.browser = browser

    def marked(self, pane: str, mark: str) -> List[int]:
        """Returns the numbers of the marked lines that are elements."""
        return self.browser.evaluate(
            f"[...document.querySelectorAll('#{pane} .row{mark}')].map(row => Number(row.dataset.line)).sort((a, b) => a - b)")

    def text(self, selector: str) -> str:
        return self.browser.evaluate(f"document.querySelector({selector!r}).textContent")

    def click_line(self, pane: str, line: int, token: str = "") -> None:
        """Clicks on a line, at its number or at one of its words."""
        row = f"document.querySelector('#{pane} .row:not(.note)[data-line=\"{line}\"]')"
        self.browser.click(f"[...{row}.querySelectorAll('[data-column]')].find(e => e.textContent === {token!r})" if token
                           else row + ".querySelector('.no')")

    def show(self, side: str, phase: str) -> None:
        self.browser.evaluate(f"showPhase('{side}', phases.findIndex(phase => phase.name === '{phase}'))")
        self.browser.settle()


def check_links(page: Page, kernel: pathlib.Path, phase: str) -> None:
    """Checks that every line of the source marks the lines of a phase that come from it, and no others."""
    printed, places = read_printed(tilec(kernel, f"--emit={phase}", "--print-locations").stdout)
    page.show("left", phase)
    expect_equal(page.browser.evaluate("left.listing.lines"), printed, f"the text of '{phase}'")
    expect_equal(page.marked("left", ":not(.note)"), list(range(1, len(printed) + 1)), "lines in view")
    linked = 0
    for line in range(1, len(kernel.read_text().splitlines()) + 1):
        expected = [number for number, found in enumerate(places, 1)
                    if any(place[0] == line for place in found) and not printed[number - 1].startswith("module")]
        page.click_line("source", line)
        marked = page.marked("left", ".same") + page.marked("left", ".exact")
        expect_equal(sorted(marked), expected, f"'{phase}': lines from line {line}")
        linked += len(expected)
    expect(linked > 10, f"'{phase}' has {linked} links only")


def check_exact(page: Page, kernel: pathlib.Path) -> None:
    """Checks that a sign of the source marks only lines that come from it, and that a line of a phase marks its
    sign."""
    printed, places = read_printed(tilec(kernel, "--emit=overlap", "--print-locations").stdout)
    source = kernel.read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "@" in text)
    column = source[line - 1].index("@") + 1
    page.show("left", "overlap")
    page.click_line("source", line, "@")
    exact = [number for number, found in enumerate(places, 1) if (line, column) in found]
    expect(exact, "nothing comes from the product")
    expect_equal(page.marked("left", ".exact"), exact, "lines from the product")
    expect(page.marked("left", ".same"), "the line has more than the product")

    number = next(number for number in exact if "sm.mma.issue" in printed[number - 1])
    page.click_line("source", line + 2)
    page.click_line("left", number)
    expect_equal(page.marked("source", ".same"), [line], "the line of an sm.mma.issue")
    expect_equal(page.browser.evaluate("[...document.querySelectorAll('#source .at')].map(token => token.textContent)"), ["@"],
                 "the sign of an sm.mma.issue")
    # The same line on the right, in the next phase.
    expect("sm.mma" in page.browser.evaluate("document.querySelector('#right .exact').textContent"), "no product on the right")


def check_ptx(page: Page, kernel: pathlib.Path) -> None:
    """Checks that instructions of PTX belong to the line of their operation, and that the line tables are hidden."""
    source = kernel.read_text().splitlines()
    page.show("right", "ptx")
    for sign, instruction, other in (("@", "wgmma.mma_async", "ex2.approx"), ("exp(", "ex2.approx", "wgmma.mma_async")):
        page.click_line("source", next(number for number, text in enumerate(source, 1) if sign in text))
        marked = set(page.browser.evaluate("right.marks.rows"))
        rows, others = (set(page.browser.evaluate(
            f"right.listing.lines.flatMap((text, row) => text.includes('{name}') ? [row] : [])")) for name in (instruction, other))
        # LLVM gives merged instructions no line.
        origins = page.browser.evaluate("right.listing.origins.map(places => places.length)")
        strays = [row for row in rows - marked if origins[row]]
        expect(rows & marked and not strays, f"of {len(rows)} {instruction} {len(strays)} are of another line")
        expect(not others & marked, f"{other} are of the line with '{sign}'")
        expect(page.marked("right", ".exact"), "no marked line is in view")
    expect(not page.browser.evaluate("right.listing.lines.some(line => /^\\s*[.](loc|file|section)/.test(line))"),
           "line tables in the PTX")


def check_long_phase(page: Page) -> None:
    """Checks that only visible lines of a long phase are elements, and that keys switch phases."""
    page.show("right", "nvvm")
    lines = page.browser.evaluate("right.listing.lines.length")
    shown = page.browser.evaluate("document.querySelectorAll('#right .row').length")
    expect(lines > 1000 and shown < 250, f"{shown} of {lines} lines are elements")
    page.browser.evaluate("right.scroll.scrollTop = 1e9")
    page.browser.settle()
    expect_equal(page.marked("right", "")[-1], lines, "the last line")
    page.browser.press("ArrowLeft")
    expect_equal(page.browser.evaluate("[left.listing.name, right.listing.name]"), ["allocate", "fence"], "phases after a step")
    page.browser.press("Escape")
    expect_equal(page.marked("source", ".same"), [], "marked lines after Escape")


def check_remarks(page: Page, line: int) -> None:
    """Checks that remarks are below their line, and that their table links to it."""
    notes = page.browser.evaluate(
        f"[...document.querySelectorAll('#source .note[data-line=\"{line}\"]')].map(row => row.textContent).join(' ')")
    expect("runs on tensor cores" in notes, "no remark at the product:", notes)
    page.browser.click("document.querySelector('#tab-remarks')")
    page.browser.click("[...document.querySelectorAll('#view-remarks tr')].find(row => row.textContent.includes('tensor cores'))")
    expect_equal(page.browser.evaluate("[state.view, right.listing.name]"), ["code", "products"], "where a remark leads to")
    expect_equal(page.marked("source", ".same"), [line], "the line that a remark leads to")


def check_layouts(page: Page) -> None:
    """Checks that pictures agree with tile-layout, and appear at the names of layouts."""
    texts = page.browser.evaluate("Object.keys(data.layouts)")
    expect(any("3*(" in text or "6*(" in text for text in texts), "no layout counts to 48:", texts)
    for text in texts:
        table = subprocess.run(["tile-layout", text, "--table"], capture_output=True, text=True, check=True).stdout
        # Cells such as r3l12w1 or r0l1+3, after the number of the row.
        expected = [tuple(map(int, re.findall(r"\d+", cell.split("+")[0])))
                    for row in table.splitlines() for cell in row.split() if re.match(r"[rlw]\d", cell)]
        got = page.browser.evaluate(
            f"(() => {{ const layout = evaluateLayout(data.layouts[{text!r}]);"
            " return [...layout.holders].map(place => splitPlace(layout, place)); })()")
        expect_equal([tuple(place) for place in got], expected, "who holds " + text)
    # The enlarged part has the elements around the pointer.
    page.browser.click("document.querySelector('#tab-layouts')")
    large = next(text for text in texts if page.browser.evaluate(f"data.layouts[{text!r}].shape.every(extent => extent >= 32)"))
    picture = f"[...document.querySelectorAll('#view-layouts .layout')].find(layout => layout.textContent.startsWith({large!r}))"
    part = f"{picture}.querySelector('.part canvas').toDataURL()"
    first = page.browser.evaluate(part)
    page.browser.hover(f"{picture}.querySelector('.picture canvas')")
    expect("element (" in page.browser.evaluate(f"{picture}.querySelector('.who').textContent"), "no element at the pointer")
    expect(page.browser.evaluate(part) != first, "the enlarged part does not follow the pointer")
    page.browser.click("document.querySelector('#tab-code')")
    page.show("left", "sm")
    page.browser.evaluate("left.scroll.scrollTop = 0")
    page.browser.settle()
    page.browser.hover("document.querySelector('#left [data-layout]')")
    expect(page.browser.evaluate("!document.querySelector('#popover').hidden && document.querySelector('#popover canvas').width > 10"),
           "no picture at the name of a layout")


def check_views(page: Page, kernel: pathlib.Path) -> None:
    """Checks that report, shared memory and timeline are complete, and link to the code."""
    report = tilec(kernel, "--emit=fence", "--report", "-o", "/dev/null").stderr
    page.browser.click("document.querySelector('#tab-report')")
    shown = page.text("#view-report")
    for line in report.splitlines():
        if line.startswith("    "):
            expect(line.strip() in shown, "not in the report of the page:", line)
    buffers = re.findall(r"(\d+) bytes at (\d+): ", report)
    page.browser.click("document.querySelector('#tab-memory')")
    expect_equal(page.browser.evaluate("data.memory.flatMap(map => map.buffers.map(buffer => [buffer.bytes, buffer.address]))"),
                 [list(map(int, buffer)) for buffer in buffers], "buffers")
    expect_equal(page.browser.evaluate("document.querySelectorAll('#view-memory .buffer').length"), len(buffers), "drawn buffers")
    page.browser.click("document.querySelector('#view-memory .buffer')")
    expect_equal(page.browser.evaluate("[state.view, right.listing.name]"), ["code", "fence"], "where a buffer leads to")

    page.browser.click("document.querySelector('#tab-timeline')")
    canvas = page.browser.evaluate("(() => { const box = document.querySelector('#view-timeline canvas').getBoundingClientRect();"
                                   " return [box.left, box.top, box.width, box.height]; })()")
    found = ""
    for step in range(400):
        page.browser.mouse("mouseMoved", x=canvas[0] + 160 + 3 * step, y=canvas[1] + 24 + 10)
        found = page.browser.evaluate("document.querySelector('#popover').hidden ? '' : document.querySelector('#popover').textContent")
        if "html.tile" in found:
            break
    expect("sm." in found and "html.tile" in found, "nothing in the first row of the timeline:", found)


def check_timeline(page: Page) -> None:
    """Checks that the timeline begins in the steady state, that a button shows all, and that lines and words are
    explained."""
    page.browser.click("document.querySelector('#tab-timeline')")
    rows = page.browser.evaluate("""(() => {
      const rows = [...readTrace(data.runs[0].trace).values()][0];
      const all = rows.flatMap((row) => row.slices);
      return { first: Math.min(...all.map((slice) => slice.begin)), last: Math.max(...all.map((slice) => slice.end)),
               steady: findSteadyState(rows), lines: [...new Set(all.map(getSliceLine))].filter(Boolean).length };
    })()""")
    begin, end = rows["steady"]
    expect(rows["first"] < begin < end < rows["last"], "the steady state is all of", rows)
    expect(end - begin < 0.75 * (rows["last"] - rows["first"]), "the steady state is too long:", rows)
    expect_equal(page.browser.evaluate("findSteadyState([{ name: 'warp 0', slices: [] }])"), None, "of nothing")
    # Four warps that do the same once are no loop.
    once = "{ slices: [{ name: 'sm.load', begin: 1, args: { place: 'k:1:1' } }] }"
    expect_equal(page.browser.evaluate(f"findSteadyState([0, 1, 2, 3].map((n) => ({{ name: 'warp ' + n, ...{once} }})))"),
                 None, "the steady state without a loop")
    expect_equal(page.browser.evaluate("document.querySelectorAll('#view-timeline .legend i').length"), rows["lines"] + 1,
                 "colours in the legend")
    shown = page.text("#view-timeline .glossary")
    for word in ("Roles of this kernel", "'math'", "Rings of this kernel", "slots of", "mbarrier", "Steps are not cycles"):
        expect(word in shown, f"the glossary lacks '{word}'")
    picture = "document.querySelector('#view-timeline canvas').toDataURL()"
    steady = page.browser.evaluate(picture)
    page.browser.click("[...document.querySelectorAll('#view-timeline button')].find(button => button.textContent === 'All')")
    everything = page.browser.evaluate(picture)
    expect(steady != everything, "all is the steady state")
    page.browser.evaluate("document.querySelector('#view-timeline canvas').focus()")
    page.browser.press("+")
    expect(page.browser.evaluate(picture) != everything, "+ does not zoom")
    page.browser.click("document.querySelector('#view-timeline .legend a')")
    expect(page.browser.evaluate("state.view === 'code' && state.selection !== null"), "the legend leads nowhere")


def check_prediction(page: Page, kernel: pathlib.Path, scratch: pathlib.Path) -> None:
    """Checks that a page with --explain has the timeline of the prediction in cycles, before those in steps."""
    tilec(kernel, "--html", scratch / "timed.html", "--explain=M=4096,N=4096,K=4096", "--emit=fence", "-o", "/dev/null")
    page.browser.open(scratch / "timed.html", "#view=timeline")
    expect_equal(page.browser.evaluate("[...document.querySelector('#view-timeline select').options].map((one) => one.text)"),
                 ["scaled in cycles", "scaled in steps"], "timelines")
    shown = page.text("#view-timeline .summary")
    expect("Predicted for M=4096, N=4096, K=4096." in shown, "the sizes of the prediction:", shown)
    expect(page.browser.evaluate("data.clock[0].trace.traceEvents.some((event) => event.args['waits for'] === 'MMAs')"),
           "no wait for MMAs in the prediction")
    first = page.browser.evaluate("document.querySelector('#view-timeline canvas').toDataURL()")
    page.browser.evaluate("(() => { const list = document.querySelector('#view-timeline select'); list.value = 1;"
                          " list.dispatchEvent(new Event('change')); })()")
    expect(page.browser.evaluate("document.querySelector('#view-timeline canvas').toDataURL()") != first,
           "both timelines have one picture")


def check_wrapping(page: Page) -> None:
    """Checks that long lines wrap within their pane, at spaces, and keep their text, and that a key switches it off."""
    page.show("left", "sm")
    page.browser.evaluate("left.scroll.scrollTop = 0")
    page.browser.press("w")
    shown = page.browser.evaluate("""[...document.querySelectorAll('#left .row:not(.note)')].map((row) => [
      Number(row.dataset.line), [...row.childNodes].slice(1).map((part) => part.textContent).join(''),
      row.querySelectorAll('br').length, row.offsetHeight, row.offsetTop, row.scrollWidth > row.clientWidth])""")
    shown.sort()
    lines = page.browser.evaluate("left.listing.lines")
    top = 0
    for number, text, breaks, height, begin, isCut in shown:
        expect_equal(text, lines[number - 1], f"the text of line {number}")
        expect_equal((height, begin, isCut), (18 * (breaks + 1), top, False), f"height, top and overflow of line {number}")
        top += height
    expect(any(breaks for _, _, breaks, *_ in shown), "no line wraps")
    expect(page.browser.evaluate("left.scroll.scrollWidth <= left.scroll.clientWidth"), "the pane scrolls sideways")
    page.browser.press("w")
    expect(page.browser.evaluate("left.scroll.scrollWidth > left.scroll.clientWidth"), "the pane does not scroll sideways")
    expect("wrap=off" in page.browser.evaluate("location.hash"), "the address does not know of wrapping")


def check_panes(page: Page) -> None:
    """Checks that borders move and that panes change places."""
    widths = "[source, left, right].map((pane, at) => document.querySelectorAll('.pane')[at].offsetWidth)"
    before = page.browser.evaluate(widths)
    at = page.browser.place("document.querySelector('.splitter')")
    page.browser.mouse("mouseMoved", **at)
    page.browser.mouse("mousePressed", **at, button="left", clickCount=1)
    page.browser.mouse("mouseMoved", x=at["x"] + 100, y=at["y"], button="left", buttons=1)
    page.browser.mouse("mouseReleased", x=at["x"] + 100, y=at["y"], button="left", clickCount=1)
    page.browser.settle()
    after = page.browser.evaluate(widths)
    expect(abs(after[0] - before[0] - 100) < 5 and abs(after[1] - before[1] + 100) < 5, "a border did not move:", before, after)
    order = "[...document.querySelectorAll('.pane')].map(pane => pane.id)"
    page.browser.evaluate("swapPanes(byId('source'), byId('right'))")
    expect_equal(page.browser.evaluate(order), ["right", "left", "source"], "panes after a move")
    page.browser.evaluate("swapPanes(byId('source'), byId('right'))")


def check_phone(page: Page, path: pathlib.Path) -> None:
    """Checks that no view is wider than a phone, and that panes are below each other."""
    page.browser.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=False)
    for view in ("code", "remarks", "report", "memory", "layouts", "timeline"):
        page.browser.open(path, "#view=" + view)
        wide = page.browser.evaluate(f"""[...document.querySelectorAll('header, #view-{view} svg, #view-{view} canvas, #view-{view} .pane')]
          .filter((part) => part.getBoundingClientRect().right > innerWidth + 1).map((part) => part.outerHTML.slice(0, 80))""")
        expect_equal(wide, [], f"parts of '{view}' beyond the edge of a phone")
        expect(page.browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"'{view}' scrolls sideways")
    page.browser.open(path)
    tops = page.browser.evaluate("[...document.querySelectorAll('.pane')].map(pane => pane.getBoundingClientRect().top)")
    expect(tops[0] < tops[1] < tops[2], "panes next to each other on a phone:", tops)


def check_search(page: Page) -> None:
    """Checks that a match of the search is visible in each pane and marked."""
    page.show("right", "nvvm")
    page.browser.evaluate("document.querySelector('#search').focus()")
    page.browser.call("Input.insertText", text="WGMMA.wait")
    page.browser.settle()
    expect("wgmma.wait" in (page.browser.evaluate("document.querySelector('#right .hit')?.textContent") or ""), "nothing is found")
    page.browser.press("Escape")
    expect_equal(page.browser.evaluate("document.querySelectorAll('.hit').length"), 0, "hits after Escape")


def check_colours(page: Page) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.browser.evaluate(colour)
    page.browser.use_dark(True)
    expect(page.browser.evaluate(colour) != light, "dark is as light")
    page.browser.use_dark(False)


def check_failures(page: Page, scratch: pathlib.Path) -> None:
    """Checks that a failed compilation leaves a page with the finished phases, and the error at its line."""
    wrong = scratch / "wrong.tile"
    wrong.write_text("kernel k(x: f32[N], out y: f32[N])\n  grid (n in tiles(N, 64))\n{\n  y[n] = z[n];\n}\n")
    tilec(wrong, "--html", scratch / "wrong.html", status=1)
    page.browser.open(scratch / "wrong.html")
    expect_equal(page.marked("source", ".note.error"), [4], "the line of an error")
    expect_equal(page.browser.evaluate("phases.length"), 0, "phases of a file without a kernel")

    large = scratch / "large.tile"
    large.write_text("kernel k(a: bf16[M, K], b: bf16[K, N], out c: f32[M, N])\n"
                     "  grid (m in tiles(M, 256), n in tiles(N, 256))\n{\n  var s = zeros(f32[256, 256]);\n"
                     "  for k in tiles(K, 512) { s += a[m, k] @ b[k, n]; }\n  c[m, n] = s;\n}\n")
    tilec(large, "--html", scratch / "large.html", status=1)
    page.browser.open(scratch / "large.html")
    expect_equal(page.browser.evaluate("phases[phases.length - 1].name"), "privatize", "the phase before the error")
    expect("bytes of shared memory" in page.text("#source .note.error"), "no error in the page")
    expect_equal(page.marked("source", ".note:not(.error):not(.remark):not(.warning)"), [5, 5], "lines of notes")

    # Programs that write different values to one place: the timeline gives this reason for being empty.
    racing = scratch / "racing.tile"
    racing.write_text("kernel k(x: f32[M, N], out y: f32[M])\n  grid (m in tiles(M, 64), n in tiles(N, 64))\n"
                      "{\n  y[m] = sum(x[m, n], axis = 1);\n}\n")
    tilec(racing, "--html", scratch / "racing.html", "--emit=fence", "-o", "/dev/null")
    page.browser.open(scratch / "racing.html", "#view=timeline")
    shown = page.text("#view-timeline")
    expect("'k' was not simulated: writes 'y[" in shown, "no reason in the timeline:", shown)
    expect_equal(page.browser.evaluate("phases[phases.length - 1].name"), "fence", "the phase that --emit names")


def main() -> None:
    kernel, scratch = map(pathlib.Path, sys.argv[1:])
    tilec(kernel, "--html", scratch / "page.html")
    line = next(number for number, text in enumerate(kernel.read_text().splitlines(), 1) if "@" in text)
    with Browser(1600, 4200) as browser:
        page = Page(browser)
        # Without wrapping, each line is a row.
        browser.open(scratch / "page.html", "#wrap=off")
        # The contents of a comment stay in the comment.
        expect_equal(browser.evaluate("document.title"), kernel.as_posix(), "the title")
        first = browser.evaluate("document.querySelector('#source .row .c').textContent")
        expect_equal(first, kernel.read_text().splitlines()[0], "the comment")
        for phase in ("tile", "overlap", "fence"):
            check_links(page, kernel, phase)
        check_exact(page, kernel)
        check_ptx(page, kernel)
        check_long_phase(page)
        check_remarks(page, line)
        check_layouts(page)
        check_views(page, kernel)
        check_timeline(page)
        check_wrapping(page)
        check_panes(page)
        check_search(page)
        check_colours(page)
        check_failures(page, scratch)
        check_prediction(page, kernel, scratch)
        # A part of the address selects the view.
        browser.open(scratch / "page.html", f"#view=code&left=order&right=fence&line={line}")
        expect_equal(browser.evaluate("[left.listing.name, right.listing.name]"), ["order", "fence"], "phases of the address")
        expect_equal(page.marked("source", ".exact"), [line], "the line of the address")
        check_phone(page, scratch / "page.html")


if __name__ == "__main__":
    main()
