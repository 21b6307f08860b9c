"""The state of a game as text: tables of entities, piles of pieces, standings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rulespec.cli.output import table
from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.game.state_json import State, scores, shown
from rulespec.typed.seat_kinds import members

if TYPE_CHECKING:
    from rulespec.engine.words.words import Words

_WIDTH = 100


def state_lines(state: State) -> Iterator[str]:
    """The lines that describe a state, without empty values."""
    for kind, entities in state["entities"].items():
        lines = list(_global(entities) if kind == "game" else _kind(kind, entities))
        if lines:
            yield from lines
            yield ""
    for piece, piles in state["pieces"].items():
        yield piece
        yield from _pieces(piles)
        yield ""
    if counts := state.get("counts"):
        yield "how many"
        yield from table([(f"  {name}", number) for name, number in counts.items()], right=(1,))
        yield ""


def _pieces(piles: dict[str, dict[str, int]]) -> Iterator[str]:
    """The lines for the piles of a type of pieces, by owner or by place, whichever is shorter."""
    places: dict[str, dict[str, int]] = {}
    for owner, counts in piles.items():
        for place, count in counts.items():
            places.setdefault(place, {})[owner] = count
    rows = {"": piles["-"]} if set(piles) == {"-"} else places if len(places) < len(piles) else piles
    width = max(map(len, rows), default=0)
    for head, counts in rows.items():
        # Counts are omitted if all are 1: those of owners, or of entities that index a place.
        alike = [name for name in counts if rows is places or name.endswith("]")]
        bare = set(alike) if all(counts[name] == 1 for name in alike) else set()
        texts = (name if name in bare else f"{name} {count}".strip() for name, count in counts.items())
        yield from _wrapped(f"  {head.ljust(width)}  " if width else "  ", texts)


def _wrapped(head: str, texts: Iterator[str]) -> Iterator[str]:
    line, first = head, True
    for text in texts:
        if not first and len(line) + len(text) + 3 > _WIDTH:
            yield line + " ·"
            line, first = " " * len(head), True
        line += text if first else f" · {text}"
        first = False
    yield line.rstrip()


def _global(entities: dict[str, dict[str, Any]]) -> Iterator[str]:
    for fields in entities.values():
        yield from table([(name, shown(value)) for name, value in fields.items() if not _empty(value)])


def _kind(kind: str, entities: dict[str, dict[str, Any]]) -> Iterator[str]:
    names = list(dict.fromkeys(name for fields in entities.values() for name in fields))  # seats may see only some
    # Columns and entities without values are omitted.
    names = [n for n in names if any(not _empty(fields.get(n)) for fields in entities.values())]
    rows = [
        [entity, *(shown(fields.get(n)) for n in names)]
        for entity, fields in entities.items()
        if any(not _empty(fields.get(n)) for n in names)
    ]
    if not rows:
        return
    numeric = [i for i, n in enumerate(names, 1) if all(isinstance(f.get(n), int | None) for f in entities.values())]
    yield from table(rows, (kind, *names), numeric)


def _empty(value: Any) -> bool:
    return value is None or value is False or value == 0 or value == []


def standings(game: Game, words: Words | None = None) -> list[str]:
    """A table of points, best first; after the game, winners are marked, including members of a winning team."""
    result = game.result
    points = result.scores if result else scores(game)
    winners = result.winners if result else []
    ranks = sorted(game.seats, key=lambda seat: (seat not in winners, -points.get(seat, 0)))
    word = words.word if words is not None else str
    names = game.shown_names if words is None or words.names == "title" else {seat: seat for seat in game.seats}
    rows = [[names[seat], points.get(seat, "-"), word("won") if seat in winners else ""] for seat in ranks]
    if not teams_of(game):
        return table(rows, (word("seat"), word("points"), ""), right=(1,))
    teams = [
        [
            team,
            ", ".join(names[seat] for seat in own),
            word("won") if own[0] in winners else word("lost") if result else "",
        ]
        for team, own in members(teams_of(game), game.seats).items()
    ]
    seats = table([row[:2] for row in rows], (word("seat"), word("points")), right=(1,))
    return [*table(teams, (word("team"), word("seats"), "")), "", *seats]
