# Tessera, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A drawing of boxes, lines and text as SVG, with the colours of a light and a dark page.

Every text is checked against the canvas or its box, by the widths of a wide font. A browser may use another font, so
the estimate is generous: no text is cut off.
"""

from typing import List, Optional, Tuple
from xml.sax.saxutils import escape

# Fill and stroke of a kind of box, on a light page and on a dark page.
COLOURS = {
    "plain": ("#f6f8fa", "#8c959f", "#1c222b", "#6e7681"),
    "blue": ("#ddf4ff", "#0969da", "#12304f", "#4493f8"),
    "green": ("#dafbe1", "#1a7f37", "#123a20", "#3fb950"),
    "orange": ("#fff1e5", "#bc4c00", "#42270f", "#f0883e"),
    "purple": ("#f6eeff", "#8250df", "#2f1f4d", "#ab7df8"),
    "red": ("#ffebe9", "#cf222e", "#4a1a1c", "#f85149"),
}
BACKGROUND, INK, DIM = ("#ffffff", "#0d1117"), ("#1f2328", "#e6edf3"), ("#59636e", "#9aa4b0")
FONT = "system-ui,-apple-system,'Segoe UI','Noto Sans','DejaVu Sans',sans-serif"
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
# Size and the width of a character, relative to the size, of each kind of text.
TEXTS = {"": (13, 0.60), "b": (13, 0.66), "s": (11.5, 0.60), "m": (12, 0.61), "t": (10, 0.62)}


def _rules(mode: int) -> str:
    """Returns the colours of a mode, 0 (light) or 1 (dark), as CSS."""
    rules = [f".bg{{fill:{BACKGROUND[mode]}}}", f"text{{fill:{INK[mode]}}}", f".s,.t{{fill:{DIM[mode]}}}",
             f".l{{stroke:{DIM[mode]}}}", f".head{{fill:{DIM[mode]}}}"]
    for name, colours in COLOURS.items():
        fill, stroke = colours[2 * mode:2 * mode + 2]
        rules.append(f".{name}{{fill:{fill};stroke:{stroke}}}.{name}-solid{{fill:{stroke}}}")
    rules.append(f".out{{fill:url(#hatch);stroke:{COLOURS['plain'][2 * mode + 1]}}}")
    return "".join(rules)


class Drawing:
    """A picture with a title for readers that do not see it."""

    def __init__(self, width: int, height: int, title: str):
        self.width, self.height, self.title = width, height, title
        self.parts: List[str] = []

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start",
             limit: Optional[Tuple[float, float]] = None) -> None:
        """Adds a line of text whose baseline is at y. `limit` holds the allowed left and right ends."""
        size, width = TEXTS[kind]
        reach = len(words) * size * width
        left = {"start": x, "middle": x - reach / 2, "end": x - reach}[anchor]
        low, high = limit or (4, self.width - 4)
        if left < low or left + reach > high or not size <= y <= self.height - 3:
            raise ValueError(f"'{words}' takes {left:.0f} to {left + reach:.0f} at {y:.0f}; there is room from "
                             f"{low:.0f} to {high:.0f}, in a picture of {self.width}x{self.height}: {self.title}")
        end = "" if anchor == "start" else f' text-anchor="{anchor}"'
        style = f' class="{kind}"' if kind else ""
        self.parts.append(f'<text x="{_n(x)}" y="{_n(y)}"{style}{end}>{escape(words)}</text>')

    def box(self, x: float, y: float, width: float, height: float, kind: str = "plain", *lines: str,
            text: str = "", round: float = 4, dashed: bool = False) -> None:
        """Adds a box with centred lines of text; the first line of several is bold."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        corner = f' rx="{_n(round)}"' if round else ""
        self.parts.append(f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner} '
                          f'class="{kind}"{dash}/>')
        if not lines:
            return
        kinds = [text or ("b" if len(lines) > 1 else "")] + ["s"] * (len(lines) - 1)
        pitch = 16
        top = y + height / 2 - pitch * (len(lines) - 1) / 2 + 0.36 * TEXTS[kinds[0]][0]
        for number, (words, style) in enumerate(zip(lines, kinds)):
            self.text(x + width / 2, top + pitch * number, words, style, "middle", (x + 1, x + width - 1))

    def line(self, *points: Tuple[float, float], arrow: bool = False, dashed: bool = False, kind: str = "l") -> None:
        """Adds a line through the points, with a head at its end."""
        path = "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        head = ' marker-end="url(#head)"' if arrow else ""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(f'<path d="{path}" class="{kind}" fill="none"{head}{dash}/>')

    def span(self, x: float, y: float, length: float, words: str, below: bool = False, kind: str = "s") -> None:
        """Adds a horizontal measure with ticks, and its text above or below the middle."""
        self.line((x, y - 4), (x, y + 4))
        self.line((x + length, y - 4), (x + length, y + 4))
        self.line((x, y), (x + length, y))
        self.text(x + length / 2, y + (17 if below else -7), words, kind, "middle")

    def render(self) -> str:
        fonts = "".join(f".{kind}{{font-size:{size}px}}" for kind, (size, _) in TEXTS.items() if kind)
        style = (f"text{{font:13px {FONT}}}{fonts}.b{{font-weight:600}}.m{{font-family:{MONO}}}"
                 f"{_rules(0)}@media(prefers-color-scheme:dark){{{_rules(1)}}}")
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">',
            f"<title>{escape(self.title)}</title>", f"<style>{style}</style>",
            '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
            '<path d="M0 0.5L8 4L0 7.5Z" class="head"/></marker>'
            '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
            '<path d="M0 0V7" class="l" stroke-width="1.4"/></pattern></defs>',
            f'<rect width="{self.width}" height="{self.height}" rx="6" class="bg"/>', *self.parts, "</svg>", ""])


def _n(value: float) -> str:
    """Returns a coordinate with at most one digit after the point."""
    return f"{value:.1f}".rstrip("0").rstrip(".")
