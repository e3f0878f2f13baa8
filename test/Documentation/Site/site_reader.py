"""Reads the site in a browser, from the disk: the search finds a page, and pages fit a phone in light and dark.

Usage: site_reader.py HTML
"""

import itertools
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Tools" / "tilec" / "Html"))
from browser import Browser  # noqa: E402

PAGES = ("index.html", "docs/language.html", "docs/architecture.html", "docs/tutorial/index.html", "gpu/RESULTS.html",
         "api/python.html", "api/c.html")
WIDTH = 390
# Elements of the text that reach out of the window, unless a part of the page scrolls.
OUTSIDE = """[...document.querySelectorAll('article *')].filter(element => {
  const box = element.getBoundingClientRect();
  if (!box.width || box.right <= innerWidth + 1) return false;
  for (let outer = element; outer && outer.tagName !== 'ARTICLE'; outer = outer.parentElement)
    if (getComputedStyle(outer).overflowX !== 'visible') return false;
  return true;
}).map(element => element.tagName + ' ' + element.textContent.slice(0, 40))"""
EMPTY_IMAGES = ("[...document.querySelectorAll('article img')].filter(image => !image.naturalWidth)"
                ".map(image => image.src)")
# The contrast of the text and the page, by the formula of WCAG for relative luminance.
CONTRAST = """(() => {
  const light = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const of = (element, name) => light(getComputedStyle(element)[name]);
  const both = [of(document.querySelector('article p'), 'color'), of(document.body, 'backgroundColor')]
    .sort((a, b) => a - b);
  return (both[1] + 0.05) / (both[0] + 0.05);
})()"""


def main():
    html = pathlib.Path(sys.argv[1])
    problems = [f"{page} does not exist" for page in PAGES if not (html / page).exists()]
    if problems:
        sys.exit("\n".join(problems))
    with Browser(1280, 900) as browser:
        browser.open(str(html / "index.html"))
        browser.click("document.querySelector('.md-search__input')")
        for letter in "mbarrier":
            browser.press(letter, letter)
        browser.wait("document.querySelectorAll('.md-search-result__link').length > 0")
        found = browser.evaluate("document.querySelector('.md-search-result__link').href")
        if "/reference/" not in found and "/dialects/" not in found:
            problems.append(f"the search for mbarrier finds {found} first")
    with Browser(WIDTH, 844) as browser:
        for page, is_dark in itertools.product(PAGES, (False, True)):
            browser.use_dark(is_dark)
            browser.open(str(html / page))
            for name, script in (("reaches out of the window", OUTSIDE), ("is not shown", EMPTY_IMAGES)):
                problems += [f"{page}: {element} {name}" for element in browser.evaluate(script)]
            if (width := browser.evaluate("document.documentElement.scrollWidth")) > WIDTH:
                problems.append(f"{page} is {width} pixels wide")
            if (contrast := browser.evaluate(CONTRAST)) < 4.5:
                problems.append(f"{page}: the contrast is {contrast:.1f} {'in the dark' if is_dark else 'in light'}")
    print("\n".join(problems))
    print(f"{len(PAGES)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
