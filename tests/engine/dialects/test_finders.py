"""Entries are read backwards by compiled functions: the same options, reasons and moves as without them."""

from __future__ import annotations

import random
import re
from contextlib import suppress
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from damaged_logs import damaged
from folders import RULESETS
from msgspec.structs import replace
from recorded_games import ALL, IMPOSSIBLE, dialect, name_of, opened, ruleset

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects import finders, known
from rulespec.engine.dialects.cursor import Cursor
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.finder_source import FinderSource
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.dialects.matching import DecisionForms
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.stretch_search import StretchSearch
from rulespec.engine.game.game import Game
from rulespec.engine.python.code_memo import CodeMemo, Fragments
from rulespec.load import load_ruleset

FOLDER = RULESETS / "errands"


def outcome(importer: Importer) -> tuple[Any, ...]:
    """The results of an import."""
    steps: list[tuple[int, str]] = []
    stop = importer.run(step=lambda entry: steps.append((entry, importer.game.hash)))
    return stop, importer.moves, importer.entries, importer.ignored, steps, importer.game.omniscient.numbers.cells


WORDS = """
def find e m s k try except unsure return None legal decider actors test who seats undecided is_number
if and or not in for is continue list int bool len get setdefault enumerate sorted else
__class__ a b c f g i n t u v w x y p q r o A I J T F G
"""
"""All words that the source of finders has."""


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs something with finders from the first entry on, and without any."""

    def run(read: Any) -> Any:
        monkeypatch.setattr(finders, "MADE_AFTER", 0)
        monkeypatch.setattr(finders, "MADE_AT_ONCE", 0)
        result = read()
        monkeypatch.setattr(finders.Finders, "finder", lambda *_: (None, False))
        assert read() == result
        monkeypatch.undo()
        return result

    return run


@pytest.mark.parametrize("path", [*ALL, *IMPOSSIBLE], ids=name_of)
@pytest.mark.sampled(1)
def test_recorded_games_are_read_as_without_finders(path: Path, both: Any) -> None:
    both(lambda: outcome(opened(path)[1]))


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("path", ALL[::3], ids=name_of)
def test_damaged_logs_are_read_as_without_finders(path: Path, both: Any) -> None:
    rng = random.Random(path.stem)
    for _ in range(3):
        log = parse_foreign(damaged(path.read_text("utf-8"), rng), "log")
        ref = dialect().ruleset_for(log.entries[0])
        assert ref is not None
        rules = ruleset(ref)

        def read(log: Any = log, rules: Any = rules) -> Any:
            game = Game(rules, *seats_and_settings(dialect(), log, rules))
            return outcome(Importer(game, dialect(), log))

        with suppress(DiagnosticsError):
            both(read)


def test_known_finders_serve_a_log_from_its_first_entries_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first entry at each decision once went the slow way, a fifth of the time of a log."""
    monkeypatch.setattr(finders, "MADE_AT_ONCE", 0)
    outcome(opened(ALL[0])[1])
    slow = list[str]()
    listed = StretchSearch._candidates

    def counted(self: StretchSearch, forms: DecisionForms | None, cursor: Cursor) -> Any:
        slow.append("plain" if forms is not None and forms.is_plain else "other")
        return listed(self, forms, cursor)

    monkeypatch.setattr(StretchSearch, "_candidates", counted)
    outcome(opened(ALL[0])[1])
    assert slow and "plain" not in slow


@pytest.mark.proof
def test_finders_are_made_for_all_types_of_entries_of_the_recorded_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finders, "MADE_AFTER", 0)
    monkeypatch.setattr(finders, "MADE_AT_ONCE", 0)
    results = []
    for path in ALL[::4]:
        _, importer, _ = opened(path)
        importer.run()
        results.append(importer._projections.known.makers)
    assert sum(map(len, results)) > 50
    assert all(maker is not None for makers in results for maker in makers.values())


def written(of: Dialect, game: Game) -> list[str]:
    """The source of the finders for all decisions and types."""
    importer = Importer(game, of, parse_foreign('[{"kind": "open", "data": {"people": ["Ann", "7"]}}]', "log"))
    projections = importer._projections
    fragments = Fragments(projections.program, {}, CodeMemo())
    results = []
    for d in game.omniscient.numbers.program.decisions:
        for type_ in {form.projection.type for c in d.choices for form in projections.forms[d.name, c.name]}:
            source = FinderSource(fragments.x, projections)
            for k, c in enumerate(d.choices):
                forms = [form for form in projections.forms[d.name, c.name] if form.projection.type == type_]
                if forms and not any(form.projection.list for form in forms):
                    source.choice(k, c, forms)
            results += [*source.params(), *source.source()]
    return results


def test_no_text_of_a_dialect_gets_into_the_source() -> None:
    evil = 'x"]); __import__("os").abort() #'
    rules = load_ruleset(str(FOLDER))
    game = Game(rules, ["Ann", "7"])
    hostile = replace(
        read_dialect(FOLDER / "dialects" / "postman.yaml"),
        names={"site": {"mill": evil}},
        decisions={
            "way.walk": (
                Projection(evil, ((evil, "to", False), ("__class__", "to.fee", True)), "", "", "", "", evil, False),
            )
        },
    )
    source = "\n".join(written(hostile, game))
    assert "find" in source
    words = set(re.findall(r"[A-Za-z_]+", source))
    assert words <= set(WORDS.split()), words
    assert "abort" not in source


@pytest.mark.proof  # 0.3 s
def test_where_python_cannot_compile_a_finder_others_are_made(both: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    broken: list[Fragments] = []
    code, function = CodeMemo.code, Fragments.function

    def refused(memo: CodeMemo, source: str) -> CodeType:
        if "def find(" in source and len(broken) < 3:
            raise SyntaxError("too many nested parentheses")
        return code(memo, source)

    def watched(fragments: Fragments, *args: Any) -> Any:
        assert fragments not in broken  # it takes for defined what is not
        try:
            return function(fragments, *args)
        except SyntaxError:
            broken.append(fragments)
            raise

    monkeypatch.setattr(known, "_memo", {})
    monkeypatch.setattr(CodeMemo, "code", refused)
    monkeypatch.setattr(Fragments, "function", watched)
    both(lambda: outcome(opened(ALL[1])[1]))
    assert len(broken) == 3
