"""The words of a ruleset as data for pages: texts whose holes are filled by functions of a WebAssembly module.

A page fills them like `Narrator`. Each text lists the values available to its holes: known rule variables, the decider,
the entity on whose behalf it acts, and the arguments of the option. The `guard` of an expression lists the cells it
reads that may be hidden: a cell by its number, an indexed cell as a pair of the first cell and the index function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.engine.game.query import Query
from rulespec.engine.game.wasm_export import Asides
from rulespec.engine.program import ir
from rulespec.engine.program.taint import Reads, Taint
from rulespec.engine.program.traversal import Elsewhere, free, span, walk
from rulespec.engine.words.asked import ACTOR, DECIDER
from rulespec.engine.words.template import Hole, Optional, Template
from rulespec.engine.words.titles import TitleText
from rulespec.engine.words.words import Words
from rulespec.types import BagOf, Bool, Ent, Maybe, Num, Order, PathOf, SetOf, Type, may_be_none, never_none, or_none

_SHOWN = ("none", "yes", "no", "chance", "nobody", "hidden_number", "hidden_value")


class _Value(Struct, frozen=True):
    """A value for a hole, and its source."""

    name: str
    type: Type
    source: dict[str, Any]


def exported_texts(game: Game, words: Words, asides: Asides) -> dict[str, Any]:
    """The texts of options, decisions and entities of a game, and titles."""
    return _Exported(game, words, asides).data()


class _Exported:
    def __init__(self, game: Game, words: Words, asides: Asides) -> None:
        self.game = game
        self.words = words
        self.asides = asides
        self.d = game.ruleset.declarations
        self._secret = Taint(asides.program).cells
        self._reads = Reads(asides.program)
        self.decider = _Value(DECIDER, or_none(Ent(self.d.player_kind)), {"get": "decider"})

    def data(self) -> dict[str, Any]:
        """All exported texts, as plain data."""
        p, words = self.asides.program, self.words
        seats = self.game.shown_names
        kinds = [kind for kind in self.game.omniscient.labels.names if kind in self.d.kinds]
        units = {unit: text for unit in self._units() if (text := words.text("units", unit)) is not None}
        return {
            "language": words.language,
            "game": words.game,
            "player": self.d.player_kind,
            "titles": {kind: list(words.titles(kind, seats)) for kind in kinds},
            "hidden": {kind: words.hidden(Ent(kind)) for kind in kinds},
            "each": {kind: self._each(kind) for kind in kinds if words.text("each", kind) is not None},
            "decisions": [self._decision(number, d) for number, d in enumerate(p.decisions)],
            "endings": {name: words.ending(name) for name in p.endings},
            "units": {unit: _amounts(text) for unit, text in units.items()},
            "words": {name: words.word(name) for name in _SHOWN},
        }

    def _units(self) -> list[str]:
        return sorted({name for read in self.words._read for section, name in read.texts if section == "units"})

    def _each(self, kind: str) -> dict[str, Any]:
        text = self.words.text("each", kind)
        assert text is not None
        names = self.game.omniscient.labels.names[kind]
        own = [i for i, n in enumerate(names) if ("entities", f"{kind}.{n}") in self.words.own.texts]
        return {**self._text(text, [_Value(kind, Ent(kind), {"get": "argument", "at": 0})]), "own": own}

    def _decision(self, number: int, d: ir.Decision) -> dict[str, Any]:
        known = self._known(number)
        actor = self._actor(d.name, [self.decider, *known])
        who = [
            *known,
            self.decider,
            _Value(ACTOR, self.decider.type if actor is None else actor["type"], {"get": "actor"}),
        ]
        text = self.words.text("decisions", d.name)
        options: dict[str, Any] = {}
        for choice in d.choices:
            params = self.words.decisions.options[d.name][choice.name].params
            args = [_Value(q.var.name, q.var.type, {"get": "argument", "at": i}) for i, q in enumerate(params)]
            said = self.words.text("options", f"{d.name}.{choice.name}")
            offered = self.words.offered(d.name, choice.name)
            options[choice.name] = {
                "title": self.words.decision(choice.name),
                "params": [form(q.var.type) for q in params],
                "text": None if said is None else self._text(said, [*who, *args]),
            } | ({} if offered is None else {"choice": self._text(offered, [*who, *args])})
        return {
            "title": self.words.decision(d.name),
            "text": None if text is None else self._text(text, who),
            "actor": None if actor is None else {**actor, "type": form(actor["type"])},
            "options": options,
        }

    def _known(self, number: int) -> list[_Value]:
        """The variables known at a decision."""
        known = self.asides.program.known[number].items()
        return [_Value(name, type_, {"get": "known", **self._function(e)}) for name, (type_, e) in known]

    def _function(self, e: ir.Expr, params: int = 0) -> dict[str, Any]:
        """The function for an expression with `params` parameters, and the hidden cells it may read."""
        guard = self._guard(e, params) if self._secret else []
        return {"aside": self.asides.add(e, params), **({"guard": guard} if guard else {})}

    def _guard(self, e: ir.Expr, params: int) -> list[int | list[int]]:
        pairs: list[list[int]] = []
        cells: set[int] = set()
        for part in walk(e):
            if isinstance(part, ir.Cell) and not self._secret.isdisjoint(span(part)):
                if self._is_settled(part.index, params):
                    pairs.append([part.base, self.asides.add(part.index, params)])
                else:
                    cells |= self._secret.intersection(span(part))
            elif isinstance(part, Elsewhere):
                cells |= self._secret & self._reads.of(part)
        return [*sorted(cells), *pairs]

    def _is_settled(self, index: ir.Expr, params: int) -> bool:
        """Whether arguments and public state alone determine which cell is read."""
        return free(index) <= {*range(params)} and self._secret.isdisjoint(self._reads.of(index))

    def _actor(self, decision: str, values: Sequence[_Value]) -> dict[str, Any] | None:
        said = self.words.own.actors.get(decision)
        if said is None:
            return None
        hole, query = self._expression(said.text, values)
        return {
            **hole,
            "values": [value.source for value in _last(values)],
            "forms": [form(value.type) for value in _last(values)],
            "type": or_none(query.typed),
        }

    # --- texts ---------------------------------------------------------------------------------

    def _text(self, text: TitleText, values: Sequence[_Value]) -> dict[str, Any]:
        values = _last(values)
        result: dict[str, Any] = {
            "values": [{**value.source, "type": form(value.type)} for value in values],
            "parts": self._parts(text.other, values),
            "who": any(hole in (DECIDER, ACTOR) for hole in _holes(text.other)),
        }
        if text.one is not None and text.count:
            count, _ = self._expression(text.count, values)
            result |= {"one": self._parts(text.one, values), "count": count}
        return result

    def _parts(self, template: Template, values: Sequence[_Value]) -> list[Any]:
        return [
            part if isinstance(part, str)
            else self._hole(part, values) if isinstance(part, Hole)
            else {"parts": [p if isinstance(p, str) else self._hole(p, values) for p in part.parts]}
            for part in template
        ]  # fmt: skip

    def _hole(self, hole: Hole, values: Sequence[_Value]) -> dict[str, Any]:
        for number, value in enumerate(values):
            if value.name == hole.text:
                return {"value": number}
        return self._expression(hole.text, values)[0]

    def _expression(self, text: str, values: Sequence[_Value]) -> tuple[dict[str, Any], Query]:
        """An expression over values: its function, and the values that must not be none."""
        values = _last(values)
        params = [(value.name, value.type) for value in values]
        try:
            query, is_solid = self.asides.queries.projection(text, params), False
        except DiagnosticsError:
            params = [(name, never_none(type_)) for name, type_ in params]
            query, is_solid = self.asides.queries.projection(text, params), True
        if any(isinstance(values[i].type, PathOf) for i in query.slots):
            from rulespec.engine.wasm.compiler import NoWasmError  # lazily: it needs an extra

            raise NoWasmError(f"the text `{text}` asks about a path")
        solid = [i for i, value in enumerate(values) if is_solid and i in query.slots and may_be_none(value.type)]
        function = self._function(query.lowered, len(values))
        return {**function, "read": sorted(query.slots), "solid": solid, "type": form(query.typed)}, query


def form(type_: Type) -> list[str]:
    """A type as data: the form, and the unit or kind."""
    match type_:
        case Num():
            return ["number", type_.unit]
        case Maybe():
            return ["number?", type_.unit]
        case Ent():
            return ["entity", type_.kind]
        case SetOf():
            return ["set", type_.kind]
        case Order():
            return ["order", type_.kind]
        case BagOf():
            return ["bag", type_.kind]
        case PathOf():
            return ["path", type_.kind]
    assert isinstance(type_, Bool)
    return ["bool", ""]


def _last(values: Sequence[_Value]) -> list[_Value]:
    """Values by name; of repeated names, the last value counts."""
    return list({value.name: value for value in values}.values())


def _holes(template: Template) -> list[str]:
    parts = [p for part in template for p in (part.parts if isinstance(part, Optional) else (part,))]
    return [p.text for p in parts if isinstance(p, Hole)]


def _amounts(text: TitleText) -> dict[str, Any]:
    """The words for an amount, with None in the place of the number."""
    other = [part if isinstance(part, str) else None for part in text.other]
    return {"other": other, "one": None if text.one is None else [p if isinstance(p, str) else None for p in text.one]}
