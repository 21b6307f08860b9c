"""Pictures and pages of untrusted files: they contain texts of the files, but run and load nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

from fuzz.session import Session, Wrong
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.load import load_ruleset

_DRAWN = {
    *("svg", "title", "desc", "g", "rect", "circle", "ellipse", "path", "line", "polygon", "polyline", "text", "tspan"),
    *("defs", "use", "clipPath", "pattern", "marker", "symbol", "style", "linearGradient", "stop", "mask"),
}
"""The allowed elements of a picture, none of which runs or loads anything."""
_AWAY = re.compile(r"^\s*(?!data:,$)(?:[a-z]+:|//)", re.IGNORECASE)
_PNG = 0.1  # probability of a PNG picture
_TOLD = 12  # decisions of a narrated game
_LOADING = {"src", "data", "action", "formaction", "poster", "background"}


def draw(home: Path, session: Session) -> None:
    """Draws the board of a ruleset, and lists its missing words."""
    how = session.rng.choice((["--empty"], ["--players", "3"], ["--public"], []))
    code, _ = session.command("draw", str(home), *how, "--out", "board.svg")
    if code == 0:
        picture(Path("board.svg").read_text("utf-8"))
        if session.rng.random() < _PNG:
            session.command("draw", str(home), *how, "--out", "board.png")
    session.command("titles", str(home), *session.rng.choice(([], ["--language", "de"])))


def tell_titles(home: Path, session: Session) -> None:
    """Checks and lists the words of a ruleset, and narrates a game with them."""
    language = session.rng.choice(([], ["--language", "de"]))
    session.command("validate", str(home), "--format", session.rng.choice(("text", "json")))
    session.command("titles", str(home), *language)
    code, _ = session.command("simulate", str(home), "--games", "1", "--cap", "6", "--backend", "python")
    if code == 2:
        return
    ruleset = load_ruleset(str(home), Report())
    game = Game(ruleset, seat_names(ruleset.players[0], ruleset.seats), backend="python")
    try:
        while not game.is_over and game.ply < _TOLD:
            options = list(islice(every_option(game), 50))
            if not options:
                break
            game.apply(session.rng.choice(options))
    except RulesetFaultError:
        return
    lines = [LogHeader.of(game).to_json(), *map(entry_json, game.history)]
    Path("game.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    how = session.rng.choice((["--format", "text"], ["--public"]))
    session.command("replay", "game.jsonl", "--rules", str(home), "--moves", *how, *language)


def import_drawing(home: Path, session: Session) -> None:
    """Imports a drawing as a map; the written map must be readable and drawable.

    Raises:
        Wrong: if it is not.
    """
    code, _ = session.command("new", "mine", "--map", str(home / "x.svg"))
    if code != 0:
        return
    if session.command("validate", "./mine")[0] != 0:
        raise Wrong(f"what is made of a drawing is not sound: {Path('mine/map.yaml').read_text('utf-8')[:2000]}")
    if session.command("draw", "./mine", "--out", "board.svg")[0] != 0:
        raise Wrong("what is made of a drawing cannot be drawn")
    picture(Path("board.svg").read_text("utf-8"))


def view(home: Path, session: Session) -> None:
    """Generates the page of a log, and draws one of its positions."""
    more = ["--rules", str(home)] if (home / "game.yaml").exists() else []
    seat = session.rng.choice(([], ["--omniscient"], ["--for", "Ann"]))
    code, _ = session.command("view", str(home / "log"), *more, *seat, "--out", "page.html")
    if code == 0:
        page(Path("page.html").read_text("utf-8"))
    code, _ = session.command("draw", str(home / "log"), *more, "--at", "3", "--out", "position.svg")
    if code == 0:
        picture(Path("position.svg").read_text("utf-8"))


def picture(text: str) -> None:
    """Checks that a picture is XML, and neither runs nor loads anything.

    Raises:
        Wrong: if it fails a check.
    """
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise Wrong(f"a picture is no XML: {error}: {text[:500]!r}") from None
    for element in root.iter():
        name = str(element.tag).rpartition("}")[2]
        if name not in _DRAWN:
            raise Wrong(f"a picture has an element `{name}`")
        for key, value in element.attrib.items():
            key = key.rpartition("}")[2]
            if (
                key.startswith("on")
                or (key == "href" and not value.startswith("#"))
                or "url(" in value.replace("url(#", "")
            ):
                raise Wrong(f"a picture has {key}={value[:200]!r}")


class _Page(HTMLParser):
    """The scripts of a page, and the resources that it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.data = ""
        self._in_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        inputs = dict(attrs)
        self.scripts += tag == "script"
        self._in_data = tag == "script" and inputs.get("id") == "data"
        for key, value in attrs:
            if key in _LOADING or (key == "href" and _AWAY.match(value or "")) or key.startswith("on"):
                raise Wrong(f"a page has <{tag} {key}={(value or '')[:200]!r}>")
        if tag in ("iframe", "object", "embed", "base", "form"):
            raise Wrong(f"a page has <{tag}>")

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self.data += data

    def handle_endtag(self, tag: str) -> None:
        self._in_data = False


SCRIPTS = 16
"""An upper bound on the number of a page's own scripts; one injected script per text would exceed it."""


def page(text: str) -> None:
    """Checks that a page has only its own scripts and readable data, and loads nothing.

    Raises:
        Wrong: if it fails a check.
    """
    result = _Page()
    result.feed(text)
    result.close()
    if result.scripts > SCRIPTS:
        raise Wrong(f"a page has {result.scripts} scripts")
    try:
        json.loads(result.data)
    except ValueError as error:
        raise Wrong(f"the data of a page cannot be read: {error}: {result.data[:300]!r}") from None
