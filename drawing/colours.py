"""A palette for all kinds of colour vision (based on Okabe and Ito), with matching text colours."""

from __future__ import annotations

PALETTE = {
    "orange": "#e69f00",
    "blue": "#0072b2",
    "green": "#009e73",
    "yellow": "#f0e442",
    "vermilion": "#d55e00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "grey": "#545454",
    "black": "#2b2b2b",
    "white": "#ffffff",
    "brown": "#8c5a2b",
    "red": "#b3202a",
    "water": "#d3e6f1",
    "land": "#f2ead9",
    "sand": "#e3d3ae",
    "wood": "#c9a36b",
    "light": "#f4efe6",
    "dark": "#b98d5a",
    "stone": "#e2dfd8",
    "mist": "#e6ecee",
    "paper": "#fbfaf7",
}
"""The named colours of a drawing file, which also accepts `#rrggbb`."""

OWNERS = ("orange", "blue", "green", "vermilion", "yellow", "purple", "sky", "grey", "brown", "white")
"""The default colours of owners, in order of assignment."""

SEATS = ("#112288", "#ffbb55", "#772200", "#55eeff", "#ee00ff", "#99bb88", "#220022", "#885588")
"""The colours of seats on boards that use `OWNERS`; both palettes stay distinct with any colour vision."""

GROUNDS = frozenset({"water", "land", "sand", "wood", "light", "dark", "stone", "mist", "paper", "white"})
"""The colours pale enough to be backgrounds of names and pieces."""
WATERS = frozenset({"water", "mist"})
"""The colours of water: in the game, and outside its regions."""

CALLED = frozenset({*OWNERS, "black", "red"})
"""The colours that the program's words name (`colour_…`)."""

FAULT = "#c00020"
BACK = "#44546a"
"""The colour of hidden content, such as the backs of cards."""
INK = "#1a1a1a"


def colour(name: str) -> str:
    """A colour in SVG notation; grey for an unknown colour in a faulty drawing."""
    return name if name.startswith("#") else PALETTE.get(name, PALETTE["grey"])


def parts(name: str) -> tuple[int, int, int]:
    """The red, green and blue components, from 0 to 255."""
    text = colour(name)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def tint(name: str, share: float) -> str:
    """A colour mixed with white; `share` is the remaining fraction of the colour."""
    r, g, b = (round(255 - (255 - c) * share) for c in parts(name))
    return f"#{r:02x}{g:02x}{b:02x}"


def ground(name: str, share: float = 0.4) -> str:
    """The background colour for names and pieces: the colour itself if it is pale enough, otherwise a tint of it."""
    return colour(name) if name in GROUNDS else tint(name, share)


def luminance(name: str) -> float:
    """The relative luminance of a colour, from 0 (black) to 1 (white)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (p / 255 for p in parts(name))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink_on(name: str) -> str:
    """Black or white, whichever contrasts better with a colour."""
    return INK if luminance(name) > 0.18 else "#ffffff"
