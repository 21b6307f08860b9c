"""The entries of a foreign log, with properties precomputed for the search."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.engine.dialects.cursor import Cursor
from rulespec.engine.dialects.dialect import Dialect, Parted, Undo
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.json_paths import MISSING, follow, path_reader
from rulespec.engine.dialects.notation_file import Notation
from rulespec.engine.logs.log_text import fail

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


class Entries:
    """The entries of a log, by number; a number beyond the last entry gives None.

    Attributes:
        types: the type of each entry; None if the type is not a text. The object around the list of entries has type
            "".
        payloads: the payload of each entry, which includes the entries joined to it.
        lists: the lists in the first entry whose elements answer decisions, by name.
        is_skipped: for each entry, whether it is meaningless or undone as a whole.
        is_boundary: for each entry, whether it is another start, an end or an undo rather than a decision.
        is_checkpoint: for each entry, whether an undo can stop there.
        undone: the entries undone as a whole, and the undo entries themselves.
        undos: for each undo of whole entries, its number and that of the last entry that it undoes.
        orders: the entries that give or end a standing order, with their types.

    Raises:
        DiagnosticsError: RS613 if an undo refers to a missing entry.
    """

    def __init__(self, dialect: Dialect, log: ForeignLog) -> None:
        self._log, self._inner = log.entries, log.inner
        entries = [*log.entries, None]
        types = map(path_reader(dialect.type_path), entries)
        missing = dialect.untyped or None
        self.types = [type_ if isinstance(type_, str) and type_ else missing for type_ in types]
        self.types[-1] = None
        if dialect.shape.list:
            self.types[0] = ""
        payloads = map(path_reader(dialect.payload_path), entries)
        self.payloads = [*payloads]
        for number, parent in enumerate(log.parents):
            self.payloads[number] = with_parent(log.entries[number], self.payloads[number], parent)
        remark = dialect.remarks.type if dialect.remarks is not None else ""
        if dialect.has_number_texts:
            self.payloads = [
                payload if type_ == remark else with_numbers(payload)
                for type_, payload in zip(self.types, self.payloads, strict=True)
            ]
        for parted in dialect.parted:
            self.payloads = [in_parts(payload, parted) for payload in self.payloads]
        if dialect.notation is not None:
            self._read_texts(dialect.notation, dialect.text_path)
        self.payloads[0] = dialect.header(log.entries[0])
        self.lists: dict[str, list[Any]] = {}
        for name, spec in dialect.start.get("lists", {}).items():
            result = follow(self.payloads[0], spec["path"])
            values = result if isinstance(result, list) else []
            self.lists[name] = ordered([v for v in values if v is not MISSING], spec.get("order", "as_is"))
        start, undo = self._start(dialect), dialect.undo
        marks = undo.checkpoints if undo is not None else None
        boundaries = {dialect.start_type, *dialect.ends}
        if undo is not None and marks is not None:
            boundaries.add(undo.type)
        givers, enders = order_types(dialect)
        end = dialect.result.entry if dialect.result is not None else ""
        ignored = {*dialect.ignore, *givers, *enders, remark}
        if not any(form.type == end for forms in dialect.decisions.values() for form in forms):
            ignored.add(end)  # it holds only the result
        self.is_skipped = [*map(ignored.__contains__, self.types)]
        self.is_skipped[:start] = [True] * start
        listed = _lists_alone(dialect)
        for number, type_ in enumerate(self.types if listed else ()):
            if type_ in listed and all(follow(self.payloads[number], path) == [] for path in listed[type_]):
                self.is_skipped[number] = True  # each of its elements answers a decision, and there is none
        self.is_boundary = [*map(boundaries.__contains__, self.types)]
        self.is_checkpoint = [*map((marks or frozenset()).__contains__, self.types)]
        self.undone: frozenset[int] = frozenset()
        self.undos: list[tuple[int, int]] = []
        if undo is not None and marks is None:
            self._take_back(undo, remark, start, log.file)
        self._join(dialect)
        self.orders = {
            number: type_
            for number, type_ in enumerate(self.types if givers or enders else ())
            if type_ is not None and (type_ in givers or type_ in enders) and number not in self.undone
        }

    def __len__(self) -> int:
        return len(self._log)

    def __getitem__(self, number: int) -> Any:
        return self._log[number] if number < len(self._log) else None

    def standing(self) -> Iterator[int]:
        """The numbers of the entries to play, which are the meaningful decisions that are not undone."""
        return (n for n in range(len(self._log)) if not self.is_skipped[n] and not self.is_boundary[n])

    def _start(self, dialect: Dialect) -> int:
        """The number of the entry that follows the beginning, where the first entry may be repeated."""
        for number, entry in enumerate(self._log):
            if entry != self._log[0] and self.types[number] not in dialect.ignore:
                return number
        return len(self._log)

    def _read_texts(self, notation: Notation, path: str) -> None:
        """Replaces entries by their parsed moves; an unparsable text becomes the type of its entry."""
        texts = enumerate(map(path_reader(path), self.payloads))
        written = {number: text for number, text in texts if isinstance(text, str) and number}
        moves = {text: notation.grammar.read(text) for text in dict.fromkeys(written.values())}
        if None in moves.values():
            own = notation.in_own_letters([*written.values()])
            moves = {text: notation.grammar.read(other) for text, other in zip(written.values(), own, strict=True)}
        for number, text in written.items():
            move = moves[text]
            self.types[number], self.payloads[number] = (text, {}) if move is None else (move.type, dict(move.fields))

    def _take_back(self, undo: Undo, remark: str, start: int, file: str) -> None:
        """Skips entries undone as a whole, with the entries nested in them."""
        log = WholeEntries(undo, self.payloads, self._inner)
        for number in range(start, len(self._log)):
            if number in self._inner:
                continue
            if self.types[number] == remark:
                log.note(number)
            elif self.types[number] not in (undo.type, undo.redo):
                log.add(number)
            elif not (log.take_back(number) if self.types[number] == undo.type else log.put_back()):
                to = follow(self.payloads[number], undo.to)
                message = (
                    f"entry {number} is an undo back to entry {shown(str(to))} ({shown(undo.to)}), which is missing"
                )
                help_ = f"check whether a part of the log is missing: the ids of entries are at {shown(undo.id)}"
                fail("RS613", message, Span(file, 1, 1, 1, 2), help=help_)
            if self.types[number] == undo.type and log.last_taken is not None:
                self.undos.append((number, log.last_taken))
            elif self.types[number] == undo.type and not undo.to:
                message = f"entry {number} is an undo, but there is nothing left to undo"
                fail("RS613", message, Span(file, 1, 1, 1, 2), help="check whether a part of the log is missing")
        self.undone = log.undone(range(start, len(self._log)), self.types, remark)
        for number in self.undone:
            self.is_skipped[number] = True

    def _join(self, dialect: Dialect) -> None:
        """Merges the payloads of joined entries into the entry that follows, and skips the joined entries."""
        joined = dialect.shape.joined
        alone = {form.type for of in dialect.decisions.values() for form in of}
        before: list[int] = []
        for number, type_ in enumerate(self.types if joined else ()):
            if self.is_skipped[number]:
                continue
            own = joined.get(type_ or "", frozenset())
            payload = self.payloads[number]
            if own and isinstance(payload, dict):
                payload, taken = dict(payload), set[str | None]()
                while before and (kind := self.types[before[-1]]) in own and (kind not in taken or kind not in alone):
                    earlier = before.pop()
                    self.is_skipped[earlier] = True
                    payload.setdefault(str(kind), self.payloads[earlier])  # the last of several takes precedence
                    taken.add(kind)
                self.payloads[number] = payload
            before.append(number)


class WholeEntries:
    """The state of a log in which entries are undone and redone as a whole.

    Args:
        undo: the undo of the other system.
        payloads: the payloads of all entries.
        inner: the nested entries, which are undone together with the enclosing entry.

    Attributes:
        last_taken: the last entry that the most recent undo undoes; None if there is nothing to undo.
    """

    def __init__(self, undo: Undo, payloads: Sequence[Any], inner: Collection[int]) -> None:
        self._id, self._to = path_reader(undo.id), path_reader(undo.to) if undo.to else None
        self._payloads, self._inner = payloads, inner
        self.last_taken: int | None = None
        self._standing: list[int] = []
        self._taken: list[list[int]] = []
        self._at: dict[str, int] = {}

    def add(self, number: int) -> None:
        """Adds an entry, which makes earlier undos final."""
        self._standing.append(number)
        self._taken.clear()
        self.note(number)

    def note(self, number: int) -> None:
        """Records the id of an entry or a remark, as text because references may be texts or numbers."""
        key = self._id(self._payloads[number])
        if isinstance(key, int | str):
            self._at[str(key)] = number

    def take_back(self, number: int) -> bool:
        """Undoes entries as requested by an undo entry; returns False if the request refers to a missing entry."""
        to = self._to(self._payloads[number]) if self._to is not None else None
        left = len(self._standing) - 1
        if to not in (None, MISSING):
            last = self._last(to)
            if last is None:
                return False
            left = bisect_right(self._standing, last)
        self.last_taken = self._standing[-1] if self._standing else None
        self._taken.append(self._standing[max(left, 0) :])
        del self._standing[max(left, 0) :]
        return True

    def _last(self, to: Any) -> int | None:
        """The number of the entry with an id; -1 for the start of the log, None for an unknown id."""
        if not isinstance(to, int | str):
            return None
        return self._at.get(str(to), -1 if str(to) == "0" else None)

    def put_back(self) -> bool:
        """Redoes the most recently undone entries, if any; always returns True."""
        self._standing += self._taken.pop() if self._taken else []
        return True

    def undone(self, numbers: Iterable[int], types: Sequence[str | None], remark: str) -> frozenset[int]:
        """The entries among `numbers`, except remarks, that end up undone."""
        standing, gone, stands = set(self._standing), set(), True
        for number in numbers:
            if number not in self._inner:
                stands = number in standing
            if not stands and types[number] != remark:
                gone.add(number)
        return frozenset(gone)


def with_numbers(value: Any) -> Any:
    """A value of an entry with numeric texts converted to integers, at any depth."""
    if isinstance(value, str):
        return int(value) if _WHOLE.fullmatch(value.removeprefix("-")) else value
    if isinstance(value, list):
        return [with_numbers(each) for each in value]
    return {key: with_numbers(each) for key, each in value.items()} if isinstance(value, dict) else value


def _lists_alone(dialect: Dialect) -> dict[str, set[str]]:
    """Type of entries that consist of lists without an option that ends them → the paths of these lists."""
    results: dict[str, set[str]] = {}
    others = set[str]()
    for form in (form for forms in dialect.decisions.values() for form in forms):
        if form.item and not form.part and not form.closes:
            results.setdefault(form.type, set()).add(form.item)
        else:
            others.add(form.type)
    return {type_: paths for type_, paths in results.items() if type_ not in others}


def with_parent(entry: Any, payload: Any, parent: Any) -> Any:
    """The payload of an entry, with the enclosing object as the field `^`; an entry that is not an object becomes the
    field `value`.
    """
    if not isinstance(entry, dict):
        payload = {"value": entry}
    return {**payload, "^": parent} if parent is not None and isinstance(payload, dict) else payload


def in_parts(payload: Any, parted: Parted) -> Any:
    """A payload in which the texts of a field are split into objects, with one field per part; integer parts become
    numbers.
    """
    text = payload.get(parted.field) if isinstance(payload, dict) else None
    if not isinstance(text, str):
        return payload
    parts = text.split(parted.by)
    if len(parts) != len(parted.names):
        return payload
    values = (int(part) if _WHOLE.fullmatch(part) else part for part in parts)
    return {**payload, parted.field: dict(zip(parted.names, values, strict=True))}


class StandingOrders:
    """The standing orders of a log, as stored in a cursor.

    Args:
        dialect: the dialect of the log.
        entries: the entries of the log.
    """

    def __init__(self, dialect: Dialect, entries: Entries) -> None:
        self._types, self._payloads = entries.orders, entries.payloads
        self._forms = {form.order.type: form for of in dialect.decisions.values() for form in of if form.order}

    def after(self, cursor: Cursor, entry: int) -> Cursor:
        """The cursor after an entry, which may give a standing order or end the standing orders of its seat."""
        if entry not in self._types:
            return cursor
        type_, left = self._types[entry], cursor.orders
        giver = self._forms.get(type_)
        for other, form in self._forms.items():
            if giver is form or (form.order is not None and type_ in form.order.until):
                path = form.by.removesuffix("?")
                left = tuple(n for n in left if self._types[n] != other or not self._same_seat(n, entry, path))
        return replace(cursor, orders=(*left, entry) if giver is not None else left)

    def _same_seat(self, one: int, other: int, path: str) -> bool:
        """Whether two entries belong to the same seat; always True without a path to the seat."""
        return not path or bool(follow(self._payloads[one], path) == follow(self._payloads[other], path))

    def at(self, cursor: Cursor) -> list[tuple[str, Any]]:
        """The types and payloads of the standing orders."""
        return [(self._types[entry], self._payloads[entry]) for entry in cursor.orders]


def order_types(dialect: Dialect) -> tuple[frozenset[str], frozenset[str]]:
    """The types of entries that give standing orders, and the types of entries that end them."""
    orders = [form.order for of in dialect.decisions.values() for form in of if form.order is not None]
    return frozenset(o.type for o in orders), frozenset(type_ for o in orders for type_ in o.until)


def ordered(values: Sequence[Any], order: str) -> list[Any]:
    """The elements of a list in the order named by a dialect: `as_is`, or `numbers_first`."""
    if order != "numbers_first":
        return list(values)
    texts = [str(v) for v in values]
    numbers = sorted((t for t in texts if _WHOLE.fullmatch(t)), key=int)
    return [*numbers, *(t for t in texts if not _WHOLE.fullmatch(t))]
