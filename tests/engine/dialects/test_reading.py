"""Options of an entry are found from its fields: always the same as by listing them and comparing each."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from folders import RULESETS
from msgspec.structs import replace
from recorded_games import ALL, IMPOSSIBLE, name_of, opened

from rulespec.engine.dialects import inverse as narrow
from rulespec.engine.dialects.dialect import Dialect, read_dialect
from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import parse_foreign
from rulespec.engine.dialects.importer import Importer
from rulespec.engine.dialects.inverse import FormInverse
from rulespec.engine.dialects.projected import Projection
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.load import load_ruleset

FOLDER = RULESETS / "errands"
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 2, 3, -1, 1.0, 2.5, float("nan"), float("inf"), 10**30, "", "1", "7"),
    *("Ann", "mill", "gate", "north_gate", "corn", [], {}, ["mill"], {"value": 1}),
]
"""Values of a field."""


@pytest.fixture(scope="module")
def game() -> Game:
    game = Game(load_ruleset(str(FOLDER)), ["Ann", "7", "Bob"])
    game.apply(next(iter(every_option(game))))
    return game


@pytest.fixture(scope="module")
def postman() -> Dialect:
    """Two sites have the same foreign name, and one seat is called like a number."""
    dialect = read_dialect(FOLDER / "dialects" / "postman.yaml")
    return replace(dialect, names={"site": {"north_gate": "gate", "south_gate": "gate"}})


def form(*match: tuple[str, str], when: str = "") -> Projection:
    """A form that compares these fields; a path that ends in `?` is optional."""
    rows = tuple((path.removesuffix("?"), text, path.endswith("?")) for path, text in match)
    return Projection("go", rows, when, "", "", "", "", False)


FORMS = [
    ("way.walk", form(("a", "to"))),
    ("way.walk", form(("a", "to.fee"))),
    ("way.walk", form(("a", "to.near"))),
    ("way.walk", form(("a", "to.fee == 1"))),
    ("way.walk", form(("a", "{}"))),
    ("way.walk", form(("a", "to"), ("b", "to.fee"))),
    ("way.walk", form(("a", "6 money / to.fee"))),
    ("way.walk", form(("a?", "to"), ("b", "Ann.at"))),
    ("way.walk", form(("a", "opener"), ("b", "bank"))),
    ("way.walk", form(("a", "to"), when="6 money / to.fee == 3")),
    ("giving.give", form(("a", "to"), ("b", "amount"))),
    ("giving.give", form(("a", "to"))),
    ("giving.give", form(("a", "to.cash"), ("b", "amount"))),
    ("giving.give", form(("a", "to"), ("b", "amount + amount"))),
    ("giving.give", form(("a", "to.at"), ("b?", "amount"))),
    ("loading.lay", form(("a", "g"), ("b", "crate[g].supply"))),
    ("loading.enough", form(("a", "mill"), ("b", "opener"))),
]


@pytest.mark.parametrize("name, projection", FORMS, ids=lambda x: x if isinstance(x, str) else f"{x.match}{x.when}")
def test_guesses_are_the_arguments_that_look_like_the_record(
    game: Game, postman: Dialect, name: str, projection: Projection
) -> None:
    projections = Projections(game, replace(postman, decisions={name: (projection,)}), True)
    (compiled,) = projections.forms[tuple(name.split("."))]  # type: ignore[index]
    assert len(compiled.fields) == len(projection.match)
    narrowing, state = FormInverse(compiled, projections), game.omniscient.numbers.state
    domains = [
        range(-2, 5) if type_ == "int" else range(len(game.omniscient.labels.names[type_]))
        for _, type_ in compiled.params
    ]
    for a, b in product([*VALUES, ...], repeat=2):
        record = {key: result for key, result in (("a", a), ("b", b)) if result is not ...}
        guesses = narrowing.guesses(record, state)
        if guesses is None:
            continue  # they are listed
        alike = [args for args in product(*domains) if projections.equal(args, compiled, record, state)]
        inside = [args for args in guesses if all(v in domain for v, domain in zip(args, domains, strict=True))]
        assert list(guesses) == sorted(set(guesses))
        assert [args for args in inside if narrowing.fits(args, record, state)] == alike, record


def errands(rng: random.Random) -> list[Any]:
    """A log of errands; much of it cannot be."""

    def entry(kind: str, **data: Any) -> Any:
        return {"kind": kind, "data": data}

    def turn() -> Iterator[Any]:
        site = rng.choice(["north_gate", "south_gate", "mill", "atlantis"])
        yield rng.choice([entry("go", to=site), entry("go", to=site, **{"from": "mill"}), entry("rest")])
        yield entry(
            "cargo", crates=[rng.choice([{"what": "corn"}, {"what": "salt"}, {}]) for _ in range(rng.randrange(4))]
        )
        yield entry(rng.choice(["sell", "close"]))
        giver, to = rng.sample(["Ann", "7"], 2)
        yield rng.choice([entry("keep"), entry("gift", to=to, amount=rng.randrange(4), **{"from": giver})])
        yield from rng.choices([entry("oops"), entry("nod"), entry("hurry")], k=rng.randrange(2))

    first = {"kind": "open", "data": {"people": ["Ann", "7"]}}
    return [first, *(e for _ in range(rng.randrange(1, 7)) for e in turn() if rng.random() < 0.95)]


def outcome(importer: Importer, steps: list[tuple[int, str]]) -> tuple[Any, ...]:
    """The results of an import."""
    stop = importer.run(step=lambda entry: steps.append((entry, importer.game.hash)))
    return stop, importer.moves, importer.entries, importer.ignored, steps, importer.game.omniscient.numbers.cells


def test_logs_are_read_as_if_all_options_were_listed(postman: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(str(FOLDER))
    dialect = read_dialect(FOLDER / "dialects" / "postman.yaml")
    rng = random.Random(0)
    logs = [parse_foreign(json.dumps(errands(rng)), "log") for _ in range(100)]

    def read() -> list[Any]:
        product = (Game(ruleset, *seats_and_settings(dialect, log, ruleset)) for log in logs)
        return [outcome(Importer(game, dialect, log), []) for game, log in zip(product, logs, strict=True)]

    result = read()
    monkeypatch.setattr(narrow, "MAX_TESTED", -1)
    assert read() == result
    assert any(ignored for _, _, _, ignored, _, _ in result)


@pytest.mark.parametrize("path", [*ALL[::4], *IMPOSSIBLE[:1]], ids=name_of)
@pytest.mark.sampled(1)
def test_recorded_games_are_read_as_if_all_options_were_listed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = outcome(opened(path)[1], [])
    monkeypatch.setattr(narrow, "MAX_TESTED", -1)
    assert outcome(opened(path)[1], []) == result
