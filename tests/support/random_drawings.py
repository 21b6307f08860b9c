"""Random SVG drawings with all kinds of styles, and their shapes and texts as read by a browser and the program."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from rulespec.drawing.reading.contexts import Part
from rulespec.drawing.reading.shapes import Content, read_content
from rulespec.drawing.reading.styles import styles_of
from rulespec.drawing.reading.svg_tree import read_tree

WIDE, HIGH = 800, 600
COLOURS = ("red", "#9ecae9", "#FC0", "rgb(10, 200, 30)", "rgba(0,0,255,.5)", "hsl(120, 60%, 40%)", "none", "navy")
SYSTEM = ("CanvasText", "linktext", "Mark", "ButtonFace", "GrayText", "Window", "-webkit-link", "Highlight")
SCHEMES = ("light-dark(red, navy)", "light-dark(rgb(1, 2, 3), Canvas)", "Light-Dark(currentColor, red)")
ODD = ("light-dark(red)", "light-dark(none, red)", "hsl(90, 10, 10)", "hsl(90 10% 10%)", "url(#gone) url(#n1)")
"""Paints besides plain colours; the last ones are invalid, with one exception."""
DISPLAYS = ("inline", "inline", "inline", "block", "none", "bogus", "contents", "table-row-group", "inline list-item")
DISPLAYS_TOO = ("-webkit-box", "run-in", "block none", "flow-root block", "math")
AUTOMATIC = ("auto", "none", "-4", "4.", "bogus", "max-content", "9foo", "inherit")
"""Values of radii besides lengths."""
VARIABLES = ("var(--tint)", "var(--wash, teal)", "var(--tint, var(--wash))")
ODD_SIZES = ("math", "-webkit-xxx-large", "9foo", "4.", "9deg")
SIZES = ("12px", "9pt", "5mm", "1.5em", "80%", "smaller", "x-large", "medium", "2pc", ".2in")
LAID = 'style="display: inline !important"'
"""A style that gives repeated shapes a box under any rules, since browsers do not report missing parts of a copy."""
ORIGINS = ("50% 50%", "30 20", "center", "top left", "right 25%", "10mm 2em")
CLASSES = ("sea", "land", "old", "big")
SEEN = """
() => {
  const root = document.documentElement, back = root.getScreenCTM().inverse();
  const results = {}, themed = document.createElementNS(root.namespaceURI, "rect");
  themed.setAttribute("style", "fill: Highlight !important");
  root.append(themed);
  const highlight = getComputedStyle(themed).fill;
  themed.remove();
  for (const element of document.querySelectorAll("[data-at]")) {
    // A drawing or copy that its content replaces has no box, and Chromium's matrices know nothing of it.
    let replaced = false;
    for (let each = element; each !== root; each = each.parentNode)
      replaced ||= ["svg", "use"].includes(each.tagName) && getComputedStyle(each).display === "contents";
    if (replaced) continue;
    const style = getComputedStyle(element), matrix = back.multiply(element.getScreenCTM());
    let laid = true;
    for (let each = element; each instanceof Element; each = each.parentNode)
      laid = laid && getComputedStyle(each).display !== "none";
    const shown = laid && style.visibility === "visible";
    const result = {shown, laid, fill: style.fill, size: 0, themed: style.fill === highlight};
    if (element.tagName === "text") {  // Chromium draws letters below 6 pixels, and says that they have 6
      const box = element.getBBox();
      const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(matrix);
      result.middle = [point.x, point.y];
      element.setAttribute("dx", "1em");
      result.size = element.dx.baseVal.getItem(0).value * Math.hypot(matrix.c, matrix.d);
    }
    if (element.tagName !== "text") {
      const box = element.getBBox();
      result.matrix = [matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f];
      result.box = [box.x, box.y, box.x + box.width, box.y + box.height];
      result.inside = [];
      if (element.tagName !== "use")
        for (let i = 0; i < 5; i++)
          for (let k = 0; k < 5; k++) {
            // Beside the middle: of a point exactly there, Chromium says that an ellipse has it not.
            const point = new DOMPoint(box.x + box.width * (i + .37) / 5, box.y + box.height * (k + .37) / 5);
            const at = point.matrixTransform(matrix);
            result.inside.push([at.x, at.y, element.isPointInFill(point)]);
          }
    }
    results[element.dataset.at] = result;
  }
  return results;
}
"""
"""A browser script that returns the styles and boxes of numbered elements."""


class Writer:
    """A writer of a random drawing; each shape and text has its own line, with the number in `data-at`."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.lines: list[str] = []
        self.symbols = 0

    def text(self) -> str:
        """The drawing."""
        self.lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
            f'width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}"{self.looks(0.3)}>',
            "<defs>",
        ]
        for number in range(self.choose.randint(0, 3)):
            self.symbol(number)
        self.lines.append("</defs>")
        sheet = self.sheet()
        early = self.choose.random() < 0.7
        if early:
            self.lines.append(sheet)
        for _ in range(self.choose.randint(2, 5)):
            self.group(0)
        self.lines += [*([] if early else [sheet]), "</svg>"]
        return "\n".join(self.lines)

    def sheet(self) -> str:
        """A style sheet with a few rules."""
        rules = []
        for _ in range(self.choose.randint(0, 8)):
            selectors = ",".join(self.selector() for _ in range(self.choose.choice((1, 1, 2))))
            rules.append(f"{selectors} {{{self.declared()}}}")
        body = " ".join(rules)
        if self.choose.random() < 0.3:
            body = f"@media {self.choose.choice(('screen', 'print', 'all'))} {{{body}}}"
        return f"<style>/* looks */ {body}</style>"

    def selector(self) -> str:
        """A selector with one or two compounds."""
        if self.choose.random() < 0.6:
            return self.compound()
        return f"{self.compound()}{self.choose.choice((' ', ' > ', ' + ', ' ~ '))}{self.compound()}"

    def compound(self) -> str:
        """A compound selector."""
        part = self.choose.choice
        return part(
            (
                f".{part(CLASSES)}",
                part(("rect", "path", "circle", "g", "text", "*", "polygon")),
                f"{part(('rect', 'g', ''))}.{part(CLASSES)}",
                f"#n{part(range(9))}",
                f"[data-kind='{part('ab')}']",
                f"{part(('rect', 'g', '*'))}:nth-child({part(('odd', '2n', '3', 'n+2'))})",
                ":first-child",
                f":not(.{part(CLASSES)})",
                f":is(.{part(CLASSES)}, circle)",
            )
        )

    def declared(self) -> str:
        """A few declarations, some of them important or unknown."""
        results = []
        for _ in range(self.choose.randint(1, 3)):
            name, value = self.property(css=True)
            if self.choose.random() < 0.1:
                name, value = f"--{self.choose.choice(('tint', 'wash'))}", self.choose.choice(COLOURS)
            important = " !important" if self.choose.random() < 0.1 else ""
            results.append(f"{name}: {value}{important}")
        return "; ".join(results)

    def property(self, css: bool) -> tuple[str, str]:
        """A property and its value."""
        name = self.choose.choice(("fill", "fill", "font-size", "visibility", "display", "fill-rule", "color", "font"))
        if css and self.choose.random() < 0.1:
            radius = self.choose.choice((*AUTOMATIC, "12px", "8%", "1em"))
            return self.choose.choice(("rx", "ry")), radius
        if name == "font":
            size = self.choose.choice(("12px", "150%", "1.2em"))
            return ("font", f"italic bold {size}/1.2 serif") if css else ("fill", "currentColor")
        value = {
            "fill": self.choose.choice((*COLOURS, *self.odd_paints(), *(VARIABLES if css else ()))),
            "color": self.choose.choice(("red", "#123456", "bogus", "CanvasText", "LinkText", "light-dark(navy, red)")),
            "font-size": self.choose.choice(
                (*SIZES, *ODD_SIZES, "inherit", "-3px") if css else (*SIZES, *ODD_SIZES, "14", "inherit")
            ),
            "visibility": self.choose.choice(("visible", "hidden", "visible", "collapse", "inherit")),
            "display": self.choose.choice((*DISPLAYS, *DISPLAYS_TOO)),
            "fill-rule": self.choose.choice(("evenodd", "nonzero")),
        }
        return name, value[name]

    def odd_paints(self) -> tuple[str, ...]:
        """A few paints besides plain colours."""
        return ("currentColor", "inherit", "bogus", *(self.choose.choice(some) for some in (SYSTEM, SCHEMES, ODD)))

    def looks(self, chance: float) -> str:
        """Attributes for the look, classes and an id."""
        result = ""
        seen: set[str] = set()
        for _ in range(2):
            name, value = self.property(css=False)
            if self.choose.random() < chance and name not in seen and name != "display":
                seen.add(name)
                result += f' {name}="{value}"'
        if self.choose.random() < chance:
            result += f' style="{self.declared()}"'
        if self.choose.random() < chance:
            result += f' class="{" ".join(self.choose.sample(CLASSES, self.choose.choice((1, 2))))}"'
        if self.choose.random() < chance / 2:
            result += f' data-kind="{self.choose.choice("ab")}"'
        return result

    def number(self, low: float = 0, high: float = 400) -> str:
        """The notation of a number."""
        return f"{self.choose.uniform(low, high):.3f}"

    def transform(self) -> str:
        """A transformation attribute, or nothing."""
        if self.choose.random() < 0.5:
            return ""
        n = self.number
        kinds = (
            f"translate({n(-30, 30)} {n(-30, 30)})",
            f"translate({n(-30, 30)})",
            f"rotate({n(-40, 40)})",
            f"rotate({n(-90, 90)}, 400, 300)",
            f"scale({n(0.6, 1.3)})",
            f"scale({n(0.6, 1.3)},{n(0.6, 1.3)})",
            f"skewX({n(-20, 20)})",
            f"skewY({n(-20, 20)})",
            f"matrix({n(0.7, 1.2)},{n(-0.2, 0.2)},{n(-0.2, 0.2)},{n(0.7, 1.2)},{n(-20, 20)},{n(-20, 20)})",
        )
        result = f' transform="{" ".join(self.choose.sample(kinds, self.choose.choice((1, 1, 2))))}"'
        if self.choose.random() < 0.2:
            result += f' transform-origin="{self.choose.choice(ORIGINS)}"'
        return result

    def group(self, depth: int) -> None:
        """A group with shapes, texts and nested groups."""
        if depth and self.choose.random() < 0.15:
            x, y, w, h = (self.choose.randint(*each) for each in ((0, 200), (0, 200), (100, 400), (100, 400)))
            how = self.choose.choice(("", ' preserveAspectRatio="none"', ' preserveAspectRatio="xMinYMax slice"'))
            box = self.choose.choice(("", ' viewBox="0 0 400 300"', ' viewBox="50 20 300 500"'))
            width = self.choose.choice((f'width="{w}"', 'width="50%"'))
            self.lines.append(f'<svg x="{x}" y="{y}" {width} height="{h}"{box}{how} overflow="visible">')
            end = "</svg>"
        else:
            self.lines.append(f"<g{self.looks(0.5)}{self.transform()}>")
            end = "</g>"
        for _ in range(self.choose.randint(1, 4)):
            choice = self.choose.random()
            if choice < 0.2 and depth < 3:
                self.group(depth + 1)
            elif choice < 0.3 and self.symbols:
                self.use()
            elif choice < 0.45:
                self.words()
            else:
                self.shape()
        self.lines.append(end)

    def symbol(self, number: int) -> None:
        """A shape, a group or a symbol for repetition elsewhere."""
        self.symbols += 1
        kind = self.choose.choice(("g", "symbol", "svg"))
        box = ' viewBox="0 0 100 80" overflow="visible"' if kind != "g" else ""
        moved = self.choose.choice(("", ' transform="translate(9 5) scale(.8)"')) if kind == "g" else ""
        self.lines.append(f'<{kind} id="s{number}"{box}{moved} {LAID}>')
        for _ in range(self.choose.randint(1, 2)):
            self.shape(counted=False)
        self.lines.append(f"</{kind}>")

    def use(self) -> None:
        """A repetition by `use`."""
        x, y = self.choose.randint(0, 300), self.choose.randint(0, 300)
        size = self.choose.choice(("", ' width="120" height="90"'))
        href = self.choose.choice(("href", "xlink:href"))
        name = f"#s{self.choose.randrange(self.symbols)}"
        number = len(self.lines) + 1
        self.lines.append(
            f'<use id="u{number}" {href}="{name}" x="{x}" y="{y}"{size}{self.transform()} data-at="{number}"/>'
        )

    def words(self) -> None:
        """A text element."""
        x, y = self.choose.randint(0, WIDE), self.choose.randint(0, HIGH)
        at = f' data-at="{len(self.lines) + 1}"'
        self.lines.append(f'<text x="{x}" y="{y}"{self.looks(0.5)}{self.transform()}{at}>Word</text>')

    def shape(self, counted: bool = True) -> None:
        """A shape; `counted` if it is visible in place. The browser's box of another shape is known if it is plain."""
        n, choice = self.number, self.choose.choice(("", "", "px", "mm", "pt", "em", "%"))
        small = [n(5, 40) + choice for _ in range(5)]
        pairs = " ".join(f"{n()},{n()}" for _ in range(self.choose.randint(3, 8)))
        kinds = (
            f'rect x="{small[0]}" y="{small[1]}" width="{small[2]}" height="{small[3]}"',
            f'rect x="{n()}" y="{n()}" width="{n(10)}" height="{n(10)}" rx="{n(0, 60)}"',
            f'rect x="{n()}" y="{n()}" width="{n(10)}" height="{n(10)}" {self.radii()}',
            f'ellipse cx="{n()}" cy="{n()}" {self.radii()}',
            f'circle cx="{n()}" cy="{n()}" r="{small[4]}"',
            f'ellipse cx="{n()}" cy="{n()}" rx="{n(5)}" ry="{n(5)}"',
            f'polygon points="{pairs}"',
            f'polyline points="{pairs}"',
            f'path d="{self.path()}"',
            f'path d="{self.path()}"',
            f'path d="{self.path()}"',
        )
        at = f' data-at="{len(self.lines) + 1}"' if counted else ""
        name = f' id="n{self.choose.randrange(9)}_{len(self.lines)}"'
        name = name if self.choose.random() < 0.8 else f' id="n{self.choose.randrange(9)}"'
        looks = self.looks(0.5) + self.transform() if counted else f" {LAID}"
        if counted and self.choose.random() < 0.1:
            looks += f' systemLanguage="{self.choose.choice(("de", "en", "fr, en-GB"))}"'
        self.lines.append(f"<{self.choose.choice(kinds)}{name}{looks}{at}/>")

    def radii(self) -> str:
        """Both radii, one of them in an unusual form."""
        one, other = self.choose.sample((self.choose.choice(AUTOMATIC), self.number(5, 60)), 2)
        return f'rx="{one}" ry="{other}"'

    def path(self) -> str:
        """Path data with all commands."""
        n, left = self.number, 3
        result = f"M{n()} {n()}"
        for _ in range(self.choose.randint(3, 9)):
            command = self.choose.choice("LlHhVvCcSsQqTtAaZz" if left <= 0 else "LlCcSsQqTtAa")
            left -= 1
            low, high = (0, 400) if command.isupper() else (-120, 120)
            numbers = {"H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "L": 2, "T": 2, "Z": 0}.get(command.upper())
            if numbers is None:
                flags = f"{self.choose.choice('01')}{self.choose.choice((' ', ''))}{self.choose.choice('01')}"
                radii = f"{self.choose.uniform(25, 200):.1f} {self.choose.uniform(25, 200):.1f}"
                result += f"{command}{radii} {self.choose.randint(0, 90)} {flags} {n(low, high)} {n(low, high)}"
            else:
                result += command + " ".join(n(low, high) for _ in range(numbers))
            if command in "Zz":  # a single line has a box, but no area
                left = 3
                result += f"M{n()},{n()}" if self.choose.random() < 0.5 else ""
        result += "".join(f"L{n()} {n()}" for _ in range(left))
        return result + self.choose.choice(("z", "", "Z"))


def content_of(path: Path) -> Content:
    """The content of a drawing, including hidden parts."""
    return read_content(read_tree(path), Part())


def unread_in(path: Path) -> set[str]:
    """The styles of a drawing that are reported as unread."""
    document = read_tree(path)
    styles = styles_of(document)
    read_content(document, Part(), styles)
    return {*styles.unread}


def seen_by_a_browser(browser: Any, path: Path) -> dict[str, dict[str, Any]]:
    """The numbered elements as seen by the browser."""
    page = browser.new_page(viewport={"width": WIDE, "height": HIGH})
    page.goto(path.as_uri())
    result: dict[str, dict[str, Any]] = page.evaluate(SEEN)
    page.close()
    return result
