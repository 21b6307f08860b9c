"""The page of an archive: lengths, endings, winners and openings of the games, as one static file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from string import Template

from rulespec.engine.corpus.archive import Shelf
from rulespec.engine.simulate.confidence import ConfidenceInterval, share
from rulespec.pages.document import own_file
from rulespec.pages.playtest_plots import lengths

MOST_SHELVES = 20
"""The maximum number of combinations of ruleset and number of players on the page, those with the most games."""
MOST_ROLES = 12
"""The maximum number of roles for which wins by role are shown, besides wins by seat."""
_MOST_ENDINGS = 12
_NARROW = 0.02
"""The least distance between bounds for which whole percentages suffice."""
_PLACES = 4
"""The maximum number of decimals in a percentage."""


def archive_page(name: str, shelves: Sequence[Shelf]) -> str:
    """The page of an archive. Escapes names and texts of rulesets.

    Args:
        name: the name of the store.
        shelves: its games, grouped by rules and number of players.
    """
    games, left = sum(shelf.games for shelf in shelves), sum(shelf.open for shelf in shelves)
    note = f"{games:,} finished games"
    note += f"; {left:,} that are unfinished, or break a rule, are left out" if left else ""
    note += ". Shares with bounds that hold 19 times in 20."
    if len(shelves) > MOST_SHELVES:
        note += f" The {MOST_SHELVES} kinds of tables with the most games, of {len(shelves):,}."
    return Template(own_file("archive.html")).substitute(
        title=escape(f"The games of {name}"),
        style=_style(own_file("playtest.html")),
        note=escape(note),
        shelves="\n".join(_shelf(shelf) for shelf in shelves[:MOST_SHELVES] if shelf.games),
    )


def _style(page: str) -> str:
    """The style sheet of playtest pages, which have the same charts."""
    return page.partition("<style>")[2].partition("</style>")[0].strip()


def _shelf(shelf: Shelf) -> str:
    """The part of the page on one ruleset and number of players."""
    total, (shortest, longest) = shelf.games, (min(shelf.lengths), max(shelf.lengths))
    middle = _median(shelf)
    said = f"From {shortest:,} to {longest:,} decisions, with a median of {middle:,}."
    shown = [(" · ".join(moves) or "no decision of a seat", games) for moves, games in shelf.frequent]
    ended = [(title, number, total) for title, number in shelf.endings.most_common(_MOST_ENDINGS)]
    kinds = len(shelf.openings)
    note = f"The first decisions of seats; {kinds:,} {'openings' if kinds != 1 else 'opening'} in all."
    players = f"{shelf.players} player{'s' if shelf.players != 1 else ''}"
    return "\n".join(
        [
            f"<h2>{escape(shelf.title or shelf.ruleset)}, {players}</h2>",
            f"<p class='note'>{escape(shelf.ruleset)}: {total:,} game{'s' if total != 1 else ''}</p>",
            "<div class='small'>",
            _figure("Lengths", said, lengths({str(n): k for n, k in shelf.lengths.items()}, {})),
            _figure("Who wins", _wins_note(shelf), _bars((seat, won, total) for seat, won in _seats(shelf))),
            _wins_by_role(shelf),
            _figure("How games end", "", _bars(ended)),
            "</div>",
            _figure("Openings", note, _bars((name, number, total) for name, number in shown)),
        ]
    )


def _seats(shelf: Shelf) -> list[tuple[str, int]]:
    """The seats in order, each with the number of games it won."""
    return [(seat, shelf.won[seat]) for seat in shelf.seats]


def _wins_by_role(shelf: Shelf) -> str:
    """The wins by role; "" if there are no roles, or too many."""
    if not 0 < len(shelf.roles) <= MOST_ROLES:
        return ""
    roles = [(role, of.won, of.games) for role, of in sorted(shelf.roles.items())]
    return _figure(
        "Roles that win", "Shares of games in which a seat had the role at its first decision.", _bars(roles)
    )


def _wins_note(shelf: Shelf) -> str:
    nobody, shared = shelf.nobody, sum(shelf.won.values()) - (shelf.games - shelf.nobody)
    parts = [f"nobody won in {nobody:,}" if nobody else "", "some were won by more than one seat" if shared > 0 else ""]
    if shelf.points:
        means = ", ".join(f"{seat} {shelf.points[seat] / shelf.games:.1f}" for seat in shelf.seats)
        parts.append(f"points on average: {means}")
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}." if text else "By seat."


def _median(shelf: Shelf) -> int:
    left = (shelf.games + 1) // 2
    for length in sorted(shelf.lengths):
        left -= shelf.lengths[length]
        if left <= 0:
            return length
    return 0


def _figure(caption: str, note: str, content: str) -> str:
    said = f"<p class='note'>{escape(note)}</p>" if note else ""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{said}{content}</figure>"


def _bars(rows: Iterable[tuple[str, int, int]]) -> str:
    """One bar per row: a name, a number of games, and their share of the row's games, with bounds."""
    shares = [(name, share(number, total)) for name, number, total in rows]
    longest = max((of.value for _, of in shares), default=0.0) or 1.0
    parts = ""
    for name, of in shares:
        parts += f"<span class='name'>{escape(name)}</span>"
        parts += f"<span class='bar b' style='width:{100 * of.value / longest:.1f}%'></span>"
        parts += f"<span class='n'>{percent(of)}</span>"
    return f"<div class='bars alone'>{parts}</div>" if parts else "<p class='note'>None.</p>"


def percent(share: ConfidenceInterval) -> str:
    """A share and its bounds in percent, with decimals if the bounds are close together."""
    width = share.high - share.low
    places = next((each for each in range(_PLACES) if width >= _NARROW / 10**each), _PLACES)
    value, low, high = (f"{100 * each:.{places}f}" for each in (share.value, share.low, share.high))
    return f"{value} % ({low} to {high})"
