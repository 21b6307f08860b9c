"""Replaying a foreign log: at each decision the legal option whose projection equals the next entry.

Options that the other system does not record are taken silently; where several options fit, one is tried after the
other, within a bound. The walk is a depth-first search that keeps its own stack, so that long logs do not recurse.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine import program as ir
from engine.ask import Asker
from engine.dialect import MISSING, Dialect, ForeignLog, Projection, follow, ordered
from engine.game import Game
from engine.interpreter import ProgramFault
from engine.option import Option, Refusal
from rulespec import typed
from rulespec.diagnostics import Report, RulespecError, Span, did_you_mean, shown

MAX_BACK = 300
"""Decisions taken back to try another option, without the log getting any further: a second or so."""
MAX_ITEMS = 1_000
"""Elements of a list that several decisions share; a longer one is no such list."""
MAX_SILENT = 200
"""Silent options in a row."""
MAX_GUESSES = 20_000
"""Arguments tried when looking for the option that an illegal entry speaks of."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far into the log the search is: the entry, which elements of its list are matched, and its lists' heads."""

    entry: int = 1
    matched: frozenset[int] = frozenset()
    heads: tuple[tuple[str, int], ...] = ()
    silent: int = 0

    def head(self, name: str) -> int:
        """How many elements of a list have been used."""
        return dict(self.heads).get(name, 0)

    def used(self, name: str) -> Cursor:
        """With one more element of a list used."""
        heads = dict(self.heads)
        heads[name] = heads.get(name, 0) + 1
        return replace(self, heads=tuple(sorted(heads.items())), silent=0)


@dataclass(frozen=True, slots=True)
class Stop:
    """Where an import ended before the log did."""

    foreign_index: int
    action: Any
    refusal: Refusal
    option: str
    nearest: tuple[str, ...]
    ply: int


@dataclass(slots=True)
class _Field:
    path: str
    type: str
    value: Callable[[list[int], Sequence[int]], int]
    optional: bool


@dataclass(slots=True)
class _Rule:
    projection: Projection
    fields: list[_Field] = field(default_factory=list)


def seats_and_options(dialect: Dialect, log: ForeignLog, ruleset: typed.Ruleset) -> tuple[list[str], dict[str, str]]:
    """The seats and the options that the first entry of a log names.

    Raises:
        RulespecError: RS620 if it does not name them as the dialect expects.
    """
    report = Report()
    first = Span(log.file, 1, 1, 1, 2)
    payload = follow(log.entries[0], dialect.payload_path)
    seats = follow(payload, dialect.start["seats"])
    if not isinstance(seats, list) or not all(isinstance(s, str | int) for s in seats):
        report.error("RS620", f"the first entry has no list of players at `{dialect.start['seats']}`", first)
        report.raise_if_errors()
    options = {}
    for name, spec in dialect.start.get("options", {}).items():
        if name not in ruleset.options:
            continue  # a dialect serves several rulesets
        if not isinstance(spec, dict):
            options[name] = spec
            continue
        value = follow(payload, spec["path"])
        key = spec.get("missing") if value in (MISSING, None) else str(value)
        if key not in spec["values"]:
            known = ", ".join(spec["values"])
            report.error("RS621", f"`{spec['path']}` is {key!r}, and `{dialect.id}` knows {known}", first)
            continue
        options[name] = spec["values"][key]
    report.raise_if_errors()
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in options.items()}
    return [str(s) for s in seats], texts


def _items(payload: Any, path: str) -> list[Any]:
    found = follow(payload, path)
    return found if isinstance(found, list) and len(found) <= MAX_ITEMS else []


_Frame = tuple[int, Cursor, Iterator[tuple[Option, Cursor]]]


class Importer:
    """Walks one log with one game."""

    def __init__(self, game: Game, dialect: Dialect, log: ForeignLog) -> None:
        self.game = game
        self.dialect = dialect
        self.log = log
        payload = follow(log.entries[0], dialect.payload_path)
        self.lists: dict[str, list[Any]] = {}
        for name, spec in dialect.start.get("lists", {}).items():
            found = follow(payload, spec["path"])
            values = found if isinstance(found, list) else []
            self.lists[name] = ordered([v for v in values if v is not MISSING], spec.get("order", "as_is"))
        self.rules = self._compile()
        self.after: list[tuple[int, int]] = []
        """(entry, number of decisions taken when it was done), in order."""
        self._back = 0

    def _compile(self) -> dict[tuple[str, str], _Rule]:
        """The projections, with their expressions typed and lowered. What this ruleset does not have is left out."""
        asker = Asker(self.game.ruleset, self.game.seats, self.game.options_chosen)
        report = Report()
        rules: dict[tuple[str, str], _Rule] = {}
        for d in self.game.program.decisions:
            for c in d.choices:
                projection = self.dialect.decisions.get(f"{d.name}.{c.name}")
                if projection is None or (d.name, c.name) in rules:
                    continue
                rule = _Rule(projection)
                params = [(p.name, p.type) for p in c.params]
                for path, text, optional in projection.match:
                    try:
                        type_, value = asker.projection(text, params)
                    except RulespecError as error:
                        for e in error.diagnostics:
                            where = f"`{d.name}.{c.name}` of the dialect `{self.dialect.id}`: {e.message}"
                            place = self.dialect.spans.get(f"{d.name}.{c.name}")
                        report.error("RS622", where, place, help=e.help)
                        continue
                    rule.fields.append(_Field(path, type_, value, optional))
                rules[d.name, c.name] = rule
        report.raise_if_errors()
        return rules

    # --- the walk --------------------------------------------------------------------------

    def run(self, until: int | None = None, step: Callable[[int], None] | None = None) -> Stop | None:
        """Replays the log to its end, or its first `until` entries; gives where and why it stopped before, if it did.

        `step` is called with the number of each entry once its decisions are taken, in order. As later entries may
        show that an earlier choice was wrong, it is called when the whole walk is settled.
        """
        entries = len(self.log.entries)
        end = entries if until is None else max(1, min(until, entries))
        game = self.game
        stack: list[_Frame] = []
        cursor = self._settled(Cursor(), end)
        best, furthest = Cursor(entry=0), game.history
        while cursor.entry < end or self._answerable(cursor):
            if cursor.entry > best.entry:
                self._back = 0
            if (cursor.entry, len(cursor.matched), game.ply) > (best.entry, len(best.matched), len(furthest)):
                best, furthest = cursor, game.history
            stack.append((game.ply, cursor, self._candidates(cursor, end)))
            following = self._next(stack)
            if following is None:
                return self._stop(best, furthest)
            cursor = self._settled(following, end)
        self.after = self._milestones([*((ply, at) for ply, at, _ in stack), (game.ply, cursor)])
        if step is not None:
            self._replay(self.after, step)
        return None

    def _next(self, stack: list[_Frame]) -> Cursor | None:
        """Takes the next option that fits, going back where none is left; None if nothing fits at all."""
        game = self.game
        while stack:
            ply, _, candidates = stack[-1]
            while game.ply > ply:
                game.undo()
            found = next(candidates, None)
            if found is not None:
                game.apply(found[0])
                return found[1]
            self._back += 1
            if self._back > MAX_BACK:
                return None
            stack.pop()
        return None

    @staticmethod
    def _milestones(points: list[tuple[int, Cursor]]) -> list[tuple[int, int]]:
        """For each entry the number of decisions after which it is done.

        Decisions that a list of the first entry answers belong to the entry before them.
        """
        plies: list[int] = []
        heads: tuple[tuple[str, int], ...] = ()
        for ply, cursor in points:
            plies += [ply] * (cursor.entry - len(plies))
            if cursor.heads != heads:
                plies[cursor.entry - 1] = ply
                heads = cursor.heads
        return list(enumerate(plies))

    def _replay(self, done: list[tuple[int, int]], step: Callable[[int], None]) -> None:
        history = self.game.history
        while self.game.ply:
            self.game.undo()
        for entry, ply in done:
            while self.game.ply < ply:
                self.game.apply(history[self.game.ply])
            step(entry)
        while self.game.ply < len(history):
            self.game.apply(history[self.game.ply])

    def _type(self, entry: Any) -> str | None:
        found = follow(entry, self.dialect.type_path)
        return found if isinstance(found, str) else None

    def _entry(self, cursor: Cursor) -> Any:
        return self.log.entries[cursor.entry]

    def _settled(self, cursor: Cursor, end: int) -> Cursor:
        """Past entries that mean nothing, and past a list that is matched and cannot go on."""
        while cursor.entry < end:
            entry = self._entry(cursor)
            if self._type(entry) in self.dialect.ignore:
                cursor = replace(cursor, entry=cursor.entry + 1, matched=frozenset())
                continue
            if cursor.matched and self._list_gone(cursor, entry):
                cursor = replace(cursor, entry=cursor.entry + 1, matched=frozenset())
                continue
            break
        return cursor

    def _list_gone(self, cursor: Cursor, entry: Any) -> bool:
        """Whether all elements are matched and the open decision has nothing more to do with them."""
        kind = self._type(entry)
        decision = self.game.decision
        payload = follow(entry, self.dialect.payload_path)
        lists = {r.projection.item for r in self.rules.values() if r.projection.item and r.projection.type == kind}
        for path in lists:
            items = follow(payload, path)
            if isinstance(items, list) and len(cursor.matched) < len(items):
                return False
        return decision is None or not any(
            name == decision.name and rule.projection.type == kind for (name, _), rule in self.rules.items()
        )

    def _answerable(self, cursor: Cursor) -> bool:
        """Whether the open decision is answered from a list of the first entry."""
        decision = self.game.decision
        if decision is None:
            return False
        return any(
            name == decision.name
            and rule.projection.list
            and cursor.head(rule.projection.list) < len(self.lists.get(rule.projection.list, ()))
            for (name, _), rule in self.rules.items()
        )

    def _candidates(self, cursor: Cursor, end: int) -> Iterator[tuple[Option, Cursor]]:
        """The options that fit, each with where the log is after it; silent ones last."""
        silent: list[Option] = []
        for option in self.game.options:
            rule = self.rules.get((option.decision, option.name))
            if rule is None:
                silent.append(option)
                continue
            following = self._fits(option, rule, cursor, end)
            if following is not None:
                yield option, following
        if cursor.silent < MAX_SILENT and cursor.entry < end:
            for option in silent:
                yield option, replace(cursor, silent=cursor.silent + 1)

    def _fits(self, option: Option, rule: _Rule, cursor: Cursor, end: int) -> Cursor | None:
        p = rule.projection
        if p.list:
            values = self.lists.get(p.list, [])
            at = cursor.head(p.list)
            if at < len(values) and self._equal(option.args, rule, values[at]):
                return cursor.used(p.list)
            return None
        if cursor.entry >= end:
            return None
        entry = self._entry(cursor)
        if self._type(entry) != p.type:
            return None
        payload = follow(entry, self.dialect.payload_path)
        if p.by and follow(payload, p.by) != option.by:
            return None
        if p.item:
            for i, item in enumerate(_items(payload, p.item)):
                if i not in cursor.matched and self._equal(option.args, rule, item):
                    return replace(cursor, matched=cursor.matched | {i}, silent=0)
            return None
        if p.closes:
            items = follow(payload, p.closes)
            if not isinstance(items, list) or len(cursor.matched) < len(items):
                return None
        if not self._equal(option.args, rule, payload):
            return None
        return replace(cursor, entry=cursor.entry + 1, matched=frozenset(), silent=0)

    def _equal(self, args: Sequence[int], rule: _Rule, record: Any) -> bool:
        return all(self._same(f, args, record) for f in rule.fields)

    def _same(self, f: _Field, args: Sequence[int], record: Any) -> bool:
        found = follow(record, f.path)
        if found is MISSING and f.optional:
            return True
        try:
            value = f.value(list(self.game.cells), args)
        except (ProgramFault, IndexError):
            return False
        return bool(self._shown(f.type, value) == found)

    def _shown(self, type_: str, value: int) -> Any:
        if type_ in ("int", "bool"):
            return bool(value) if type_ == "bool" else value
        if value < 0:
            return None
        return self.dialect.foreign(type_, self.game.labels.names[type_][value])

    # --- where it does not fit -------------------------------------------------------------

    def _stop(self, cursor: Cursor, history: list[Option]) -> Stop:
        """The report on an entry that no legal option fits."""
        game = self.game
        while game.ply:
            game.undo()
        for option in history:
            game.apply(option)
        action = self._entry(cursor) if cursor.entry < len(self.log.entries) else None
        meant = self._meant(cursor, action)
        decision = game.decision
        if meant is not None:
            refusal = game.why_not(meant) or Refusal("what follows does not fit", (), "", {}, None)
        elif decision is None:
            refusal = Refusal("the game is over", (), "", {}, None)
        elif unknown := self._unlisted(decision.name, cursor) or self._unknown(decision.name, action):
            refusal = Refusal(unknown, (), "", {}, None)
        else:
            kind = self._type(action)
            who = decision.by or "chance"
            refusal = Refusal(f"the open decision is `{decision.name}` of {who}, not `{kind}`", (), "", {}, None)
        legal = [str(o) for o, _ in zip(game.options, range(2000), strict=False) if not o.interrupt]
        text = str(meant) if meant is not None else json.dumps(action, ensure_ascii=False)[:200]
        legal.sort(key=lambda o: -difflib.SequenceMatcher(None, o, text).ratio())
        return Stop(cursor.entry, action, refusal, str(meant) if meant else "", tuple(legal[:5]), game.ply)

    def _unlisted(self, decision: str, cursor: Cursor) -> str:
        """What a list of the first entry says for this decision, if that is not possible."""
        for (name, _), rule in self.rules.items():
            path = rule.projection.list
            values = self.lists.get(path, [])
            if name == decision and path and cursor.head(path) < len(values):
                value = shown(str(values[cursor.head(path)]))
                return f"the first entry says {value} for `{decision}`, and that is not possible here"
        return ""

    def _unknown(self, decision: str, action: Any) -> str:
        """What the entry names that this game does not have, if that is why it fits nothing."""
        payload = follow(action, self.dialect.payload_path)
        for (name, _), rule in self.rules.items():
            if name != decision or rule.projection.type != self._type(action):
                continue
            records = _items(payload, rule.projection.item) if rule.projection.item else [payload]
            for f in rule.fields:
                for found in (follow(record, f.path) for record in records):
                    kind = f.type
                    if kind in self.game.labels.names and isinstance(found, str):
                        known = [self.dialect.foreign(kind, n) for n in self.game.labels.names[kind]]
                        if found not in known:
                            hint = did_you_mean(found, known)
                            return f"there is no {kind} {shown(found)}" + (f"; {hint}" if hint else "")
        return ""

    def _meant(self, cursor: Cursor, action: Any) -> Option | None:
        """The option that the entry speaks of, legal or not: the first whose arguments give the entry's fields."""
        game = self.game
        decision = game.decision
        if decision is None or action is None:
            return None
        number = next(i for i, d in enumerate(game.program.decisions) if d.name == decision.name)
        for d in game.program.decisions[number:]:
            if d.name != decision.name:
                continue
            for k, c in enumerate(d.choices):
                rule = self.rules.get((d.name, c.name))
                if rule is None or rule.projection.type != self._type(action):
                    continue
                for args in self._guesses(c):
                    if self._fits_any(args, rule, cursor, action):
                        return Option(d.name, c.name, args, decision.by, c.by is not None, k, game.labels)
            break
        return None

    def _fits_any(self, args: tuple[int, ...], rule: _Rule, cursor: Cursor, action: Any) -> bool:
        payload = follow(action, self.dialect.payload_path)
        if not rule.projection.item:
            return self._equal(args, rule, payload)
        items = _items(payload, rule.projection.item)
        rest = [v for i, v in enumerate(items) if i not in cursor.matched]
        return any(self._equal(args, rule, item) for item in rest)

    def _guesses(self, c: ir.Choice) -> Iterator[tuple[int, ...]]:
        """All arguments that an option could be given, within a bound."""
        sizes = [len(self.game.labels.names[p.type]) if p.type != "int" else 100 for p in c.params]
        total = 1
        for size in sizes:
            total *= size
        for n in range(min(total, MAX_GUESSES)):
            args = []
            for size in reversed(sizes):
                n, digit = divmod(n, size)
                args.append(digit)
            yield tuple(reversed(args))
