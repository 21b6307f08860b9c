"""Export of a ruleset, for a given number of seats, to a wasm module with a table of names that other programs can use.

Besides the rules, the module has functions `aside0`, `aside1`, … for expressions outside the rules, such as
placeholders in texts. They take the parameters of the expression and, last, the index of the requested word of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from rulespec.documents.json_text import to_json_text
from rulespec.documents.versions import LANGUAGE, RULESPEC
from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.game.named_state import count_path, owner_of, place_of
from rulespec.engine.game.option import Labels
from rulespec.engine.game.query import Queries
from rulespec.engine.lower.layout import NUMBERS
from rulespec.engine.lower.lowering import lowering
from rulespec.engine.program import ir
from rulespec.engine.program.columns import columns_of
from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.program.taint import Taint, counts_of
from rulespec.engine.wasm.layout import BATCH, Memory
from rulespec.engine.wasm.roots import sorted_most
from rulespec.engine.wasm.wasm_format import custom_section

if TYPE_CHECKING:
    from rulespec.engine.wasm.program import WasmProgram

SECTION = "rulespec"
"""The name of the section that holds the table, as JSON."""


class Asides:
    """The expressions of a module that are not part of its rules, without duplicates.

    Args:
        queries: the compiler of expressions into the program of the module.
    """

    def __init__(self, queries: Queries) -> None:
        self.queries = queries
        self._numbers: dict[tuple[int, ir.Expr], int] = {}

    @property
    def program(self) -> ir.Program:
        """The program of the module."""
        return self.queries.program

    def add(self, value: ir.Expr, params: int = 0) -> int:
        """The number of the aside for an expression with `params` parameters, which is added if it is new."""
        return self._numbers.setdefault((params, value), len(self._numbers))

    def all(self) -> tuple[ir.Aside, ...]:
        """All asides, by number."""
        return tuple(ir.Aside(params, value) for params, value in self._numbers)


Telling = Callable[[Asides], dict[str, Any]]
"""A function that adds the expressions of a ruleset's texts to the asides, and returns the texts as data."""


def exported(game: Game, telling: Telling | None = None) -> bytes:
    """The wasm module for a game's ruleset, seats and settings; includes the ruleset's texts if `telling` is given.

    Raises:
        NoWasmtimeError: if wasmtime is not installed.
        NoWasmError: if wasm cannot run the program.
    """
    from rulespec.engine.wasm.compiler import NoWasmError  # lazily: they need an extra
    from rulespec.engine.wasm.program import WasmProgram

    x = lowering(game.ruleset, len(game.seats), game.settings)
    asides = Asides(Queries(game.ruleset, game.seats, game.settings, x))
    table = {"texts": telling(asides)} if telling is not None else {}
    among = [asides.add(d.among) if d.among is not None else -1 for d in x.p.decisions]
    params = [q for d in x.p.decisions for c in d.choices for q in c.params]
    if any(columns_of(q, x.p.sizes) > 1 for q in params if q.walk is None):
        raise NoWasmError("a set of more than 64 members, or a bag of more than 8 kinds of pieces, is chosen")
    to = {q.cell: asides.add(q.to, q.slot + 1) for q in params if q.to is not None}
    x.p.asides = asides.all()
    wasm = WasmProgram(x.p)
    table = names(game, wasm, to) | {"among": among} | table
    return wasm.compiled.code + custom_section(SECTION, to_json_text(table).encode())


def names(game: Game, wasm: WasmProgram, to: Mapping[int, int]) -> dict[str, Any]:
    """The table that maps the numbers of a module to names.

    `cells` lists the cells of the rules, in order, with their addresses; for wide sets, `words` is the size in 64-bit
    words. `options` are numbered as in the buffer of options, where each argument takes up `words` numbers. `asked`
    gives the decision that each block opens, or -1 if it opens none. `registers` are addresses. `numbers` is the
    version of the numbering. `ties` states for each tiebreak whether it chooses from a set, and `most` gives the
    maximum number of members. `private` lists the cells that can be hidden, and `notes` the variables of the rules that
    may hold values derived from these cells. `counts` are the public counts of private pieces: the number of `cells`
    that hold a `place`; if `place` is -1, the sum of the cells, or the length of an order. For a private parameter,
    `to` is the number of the aside that returns the seats, besides the decider, that see its value; -1 if there are
    none.

    Args:
        game: a game of the table.
        wasm: the wasm program of the game.
        to: parameter cell → number of the aside for its viewers.
    """
    labels = game.omniscient.labels
    memory, p = wasm.compiled.memory, wasm.p
    waits = p.asked()
    return {
        "rulespec_wasm": 1,
        "numbers": NUMBERS,
        "ruleset": game.ruleset.ref,
        "ruleset_hash": game.ruleset.hash,
        "random": GENERATOR,
        "sources_hash": game.ruleset.sources_hash,
        "rulespec": RULESPEC,
        "language": LANGUAGE,
        "seats": list(game.seats),
        "settings": dict(game.settings),
        "endings": p.endings,
        "kinds": {kind: list(of) for kind, of in labels.names.items()},
        "cells": [_cell(labels, memory, at, c) for at, c in enumerate(p.cells)],
        "decisions": [d.name for d in p.decisions],
        "together": [bool(d.held) for d in p.decisions],
        "drafts": [d.draft for d in p.decisions] if p.drafts else [],
        "teams": list(teams_of(game)),
        "single": len(set(teams_of(game) or game.seats)) == 1,
        "ties": None
        if p.scoring is None
        else [t.source is not None and t.key is not None for t in p.scoring.tiebreaks],
        "most": sorted_most(p),
        "declared": list(p.declared),
        "private": sorted(at for secret in p.secrets for at in secret.cells if p.cells[at].group != "rules"),
        "counts": [
            {"name": count_path(labels, p, of), "cells": list(of.cells), "place": of.place} for of in counts_of(p)
        ],
        "notes": sorted(at for at in Taint(p).cells if p.cells[at].group == "rules"),
        "batch": BATCH,
        "value": {"decides": p.values[0].decides, "horizon": p.values[0].horizon} if p.values else None,
        "stakes": p.stakes,
        "options": [{"decision": d, **_option(p, p.decisions[d].choices[k], to)} for d, k in wasm.compiled.options],
        "asked": [waits.get(block, -1) for block in range(len(p.blocks))],
        "main": p.main,
        "registers": {key: at for key, at in memory.constants.items() if key.isupper()},
    }


def _cell(labels: Labels, memory: Memory, at: int, c: ir.CellName) -> dict[str, Any]:
    return {
        "group": c.group,
        "owner": owner_of(labels, c),
        "name": c.name,
        "type": c.type,
        "place": place_of(labels, c),
        "at": memory.address(at),
        "words": memory.words if at in memory.ranks else 1,
    }


def _option(p: ir.Program, c: ir.Choice, to: Mapping[int, int]) -> dict[str, Any]:
    params = [
        {
            "name": q.name,
            "type": q.type,
            "words": columns_of(q, p.sizes),
            "private": q.private,
            "to": to.get(q.cell, -1),
        }
        for q in c.params
    ]
    return {"name": c.name, "params": params, "interrupt": c.by is not None}
