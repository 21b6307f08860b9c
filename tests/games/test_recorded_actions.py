"""The legal actions of the recorded games: after every action, the recorder lists what may come next, and so do we.

What it lists and we do not is refused by a rule that the dialect names, as one that the recorder breaks. There is
nothing that we list and it does not. See `legal` in games/imperial/logs/README.md. RULESPEC_PERFT=1 compares all of the
games, not every other one.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from recorded_games import ALL, IMPOSSIBLE, dialect, folder_of, name_of, opened

from rulespec.engine.dialects.forms import ComparedField, Form
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.dialects.mismatch import Explainer
from rulespec.engine.dialects.projection import Projections
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option

RECORDED = [*ALL, *IMPOSSIBLE] if "RULESPEC_PERFT" in os.environ else [*ALL, *IMPOSSIBLE][::2]

Key = tuple[Any, ...]
"""The form in which an option is recorded, and what the fields say that are there, by their paths."""


def listed(path: Path) -> list[dict[str, list[Any]] | int]:
    """The legal actions after each action, by type; of more than 80 actions (imports as multisets) their number."""
    file = folder_of(path) / "legal" / f"{path.stem}.jsonl.gz"
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).decode().splitlines()]


def as_logged(type_: str, payload: dict[str, Any] | None) -> dict[str, Any]:
    """A listed action as logs hold it: with nations as objects."""
    nations = {"nation", "challenger", "incumbent"}
    fields = {k: {"value": v} if k in nations and isinstance(v, str) else v for k, v in (payload or {}).items()}
    return {"type": type_, "payload": fields}


def values(field: ComparedField, game: Game, state: list[int], args: Sequence[int]) -> list[Any]:
    """The values of a field for an option: one value, or any member of a set."""
    value, kind = field.value(state, args), field.type.removeprefix("set ")
    if kind in ("int", "bool"):
        return [bool(value) if kind == "bool" else value]
    names = game.omniscient.labels.names[kind]
    if kind == field.type:
        return [None if value < 0 else dialect().foreign(kind, names[value])]
    return [dialect().foreign(kind, name) for i, name in enumerate(names) if value >> i & 1]


def optional(form: Form) -> set[str]:
    """The fields of a form that a record may lack."""
    by = form.projection.by
    return {f.path for f in form.fields if f.optional} | ({by[:-1]} if by.endswith("?") else set())


def keys(option: Option, game: Game, projections: Projections, state: list[int], *, whole: bool) -> Iterator[Key]:
    """All the forms in which an option may be recorded; `whole` are those that lack nothing."""
    for form in projections.forms[option.decision, option.name]:
        if form.when is None or form.when(state, option.args):
            of_fields = {f.path: values(f, game, state, option.args) for f in form.fields}
            if form.projection.by:
                of_fields[form.projection.by.removesuffix("?")] = [option.by]
            may_lack = optional(form)
            for count in range(1 if whole else len(may_lack) + 1):
                for lacking in combinations(sorted(may_lack), count):
                    said = {path: result for path, result in of_fields.items() if path not in lacking}
                    yield from ((id(form), *zip(said, result, strict=True)) for result in product(*said.values()))


def key(action: dict[str, Any], form: Form) -> Key:
    """The content of an action in the fields of a form."""
    by, may_lack = form.projection.by.removesuffix("?"), optional(form)
    said = {path: follow(action["payload"], path) for path in [*(f.path for f in form.fields), *([by] if by else [])]}
    return (
        id(form),
        *((path, result) for path, result in said.items() if path not in may_lack or result is not MISSING),
    )


def purchases(game: Game) -> set[tuple[tuple[str, str], ...]]:
    """The possible imports from here, whatever the order."""
    results: set[tuple[tuple[str, str], ...]] = set()
    begun = game.ply

    def go_on(bought: list[tuple[str, str]]) -> None:
        decision = game.decision
        if decision is None or decision.name != "purchase":
            results.add(tuple(sorted(bought)))
            return
        for option in [o for o in every_option(game) if not o.interrupt]:
            if option.name == "done":
                results.add(tuple(sorted(bought)))
                continue
            game.apply(option)
            go_on([*bought, (dialect().foreign("region", option.arguments["site"]), option.name)])
            game.undo()

    go_on([])
    assert game.ply == begun
    return results


def unlike(game: Game, projections: Projections, theirs: dict[str, list[Any]] | int) -> tuple[list[Any], list[str]]:
    """The actions that only the recorder lists, and those that only we list."""
    decision = game.decision
    if decision is None:
        return ([theirs] if theirs else []), []
    if decision.name == "purchase":
        ours = purchases(game)
        if isinstance(theirs, int):
            return ([], []) if len(ours) == theirs else ([theirs], [str(len(ours))])
        assert theirs.keys() == {"import"}
        known = {tuple(sorted((p["province"], p["type"]) for p in a["placements"])) for a in theirs["import"]}
        return sorted(known - ours), [str(purchase) for purchase in ours - known]
    state = list(game.omniscient.numbers.cells)
    options = list(every_option(game))
    if isinstance(theirs, int):
        complete = {k for option in options for k in keys(option, game, projections, state, whole=True)}
        return ([], []) if len(complete) <= theirs else ([theirs], [str(len(complete))])
    by_key = {k: option for option in options for k in keys(option, game, projections, state, whole=False)}
    used: set[Option] = set()
    only_theirs = []
    for type_, payloads in theirs.items():
        forms = [
            f for f in projections.by_decision[decision.name] if f.projection.type == type_ and not f.projection.list
        ]
        for action in (as_logged(type_, payload) for payload in payloads):
            meant = {by_key[k] for k in (key(action, form) for form in forms) if k in by_key}
            used |= meant
            if not meant:
                only_theirs.append(action)
    return only_theirs, [str(option) for option in by_key.values() if option not in used]


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
@pytest.mark.sampled(1)
def test_the_recorder_lists_the_same_actions_but_for_those_that_make_up_pieces(path: Path) -> None:
    game, importer, _ = opened(path)
    projections = Projections(game, dialect(), True)
    explainer = Explainer(game, dialect(), projections)
    theirs = listed(path)
    compared: list[int] = []

    def step(entry: int) -> None:
        only_theirs, only_ours = unlike(game, projections, theirs[entry])
        assert only_ours == [], f"after entry {entry}"
        for action in only_theirs:
            _, refusal = explainer.explain(action, frozenset())
            assert set(refusal.rules) & dialect().accepts, f"after entry {entry}: {action}: {refusal}"
        compared.append(entry)

    stop = importer.run(len(theirs), step)
    assert stop is None
    assert compared == list(range(len(theirs)))
