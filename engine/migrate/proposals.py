"""Proposed `was:` lines for a migration: renamings, found by trial, that make every game faithful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.migrate.migrate import Migrated, Verdict, migrate
from rulespec.engine.replay.judge import transferred_settings
from rulespec.engine.replay.replay import ReplayResult
from rulespec.typed import nodes as typed

MAX_PAIRS = 40
"""Maximum number of pairs of names tried per round."""
MAX_ROUNDS = 8
"""Maximum number of rounds, and so of proposed lines."""


class Renamed(Struct, frozen=True):
    """A former name and the current name.

    Attributes:
        within: the decision of an option, or the kind of an entity; "" for a decision.
        former: the former name.
        name: the current name.
        entity: whether the name belongs to an entity.
    """

    within: str
    former: str
    name: str
    entity: bool = False

    @property
    def line(self) -> str:
        """The entry under `was:`."""
        return f"{self.within}.{self.name}: {self.former}" if self.within else f"{self.name}: {self.former}"


def with_former(ruleset: typed.Ruleset, renamed: Sequence[Renamed]) -> typed.Ruleset:
    """A ruleset with additional former names."""
    was = ruleset.declarations.was
    decisions, options, entities = dict(was.decisions), dict(was.options), dict(was.entities)
    for each in renamed:
        if each.entity:
            entities[each.within, each.former] = each.name
        elif each.within:
            options[each.within, each.former] = each.name
        else:
            decisions[each.former] = each.name
    names = replace(was, decisions=decisions, options=options, entities=entities)
    return replace(ruleset, declarations=replace(ruleset.declarations, was=names))


def proposed(replays: Sequence[ReplayResult], ruleset: typed.Ruleset) -> list[Renamed]:
    """The one renaming under which every kept game replays faithfully; empty if there is none, or more than one.

    Args:
        replays: the replays, under their own rules, of games that cannot be migrated yet.
        ruleset: the changed rules.

    Raises:
        DiagnosticsError: see `migrate`.
    """
    results: list[Renamed] = []
    if not replays:
        return results
    reached = _reached(replays, ruleset, results)
    for _ in range(MAX_ROUNDS):
        if all(verdict is Verdict.FAITHFUL for verdict, _ in reached):
            return results
        tried = [(_reached(replays, ruleset, [*results, pair]), pair) for pair in _pairs(replays, ruleset, results)]
        better = [(own, pair) for own, pair in tried if _is_better(own, reached)]
        best = max((_sum(own) for own, _ in better), default=0)
        fitting = [(own, pair) for own, pair in better if _sum(own) == best]
        if len(fitting) != 1:
            return []
        reached, pair = fitting[0]
        results.append(pair)
    return results if all(verdict is Verdict.FAITHFUL for verdict, _ in reached) else []


_Reached = list[tuple[Verdict, int]]


def _reached(replays: Sequence[ReplayResult], ruleset: typed.Ruleset, renamed: Sequence[Renamed]) -> _Reached:
    """For each game, its verdict and the number of decisions migrated without a difference."""
    there = with_former(ruleset, renamed)
    return [(result.verdict, _length(result)) for result in (migrate(replay, there) for replay in replays)]


def _length(result: Migrated) -> int:
    apart = result.walk.apart
    return result.walk.legal if apart is None else min(apart, result.walk.legal)


def _is_better(own: _Reached, before: _Reached) -> bool:
    """Whether at least one game gets further and no game falls back."""
    pairs = list(zip(own, before, strict=True))
    return all(a[1] >= b[1] for a, b in pairs) and any(a[1] > b[1] for a, b in pairs)


def _sum(reached: _Reached) -> int:
    return sum(length for _, length in reached)


def _pairs(replays: Sequence[ReplayResult], ruleset: typed.Ruleset, renamed: Sequence[Renamed]) -> list[Renamed]:
    """Candidate renamings: a name known only to the old rules with one known only to the changed rules."""
    old = replays[0].game
    there = with_former(ruleset, renamed)
    new = Game(there, old.names, transferred_settings(old, ruleset)[0])
    declared = there.declarations.was
    used = {*declared.decisions, *(name for _, name in (*declared.options, *declared.entities))}
    taken = {*declared.decisions.values(), *declared.options.values(), *declared.entities.values()}
    every = (*_of_options(old, new, declared.decisions), *_of_entities(old, new), *_of_decisions(old, new))
    return [pair for pair in every if pair.former not in used and pair.name not in taken][:MAX_PAIRS]


def _of_decisions(old: Game, new: Game) -> Iterator[Renamed]:
    before, after = ({d.name: None for d in game.omniscient.program.decisions} for game in (old, new))
    yield from (Renamed("", one, other) for one in before if one not in after for other in after if other not in before)


def _of_options(old: Game, new: Game, was: dict[str, str]) -> Iterator[Renamed]:
    before, after = (
        {
            d.name: {c.name: tuple(q.type for q in c.params) for c in d.choices}
            for d in game.omniscient.program.decisions
        }
        for game in (old, new)
    )
    for decision, options in before.items():
        name = decision if decision in after else was.get(decision, "")
        others = after.get(name, {})
        for one, types in options.items():
            for other, of_other in others.items():
                if one not in others and other not in options and sorted(types) == sorted(of_other):
                    yield Renamed(name, one, other)


def _of_entities(old: Game, new: Game) -> Iterator[Renamed]:
    before, after = old.omniscient.labels.names, new.omniscient.labels.names
    kinds = old.ruleset.declarations.kinds
    for kind in sorted(before.keys() & after.keys()):
        if kinds[kind].product:  # names of products follow those of their parts
            continue
        others = set(after[kind])
        for one in before[kind]:
            if one not in others:
                yield from (Renamed(kind, one, other, True) for other in after[kind] if other not in set(before[kind]))
