"""A ruleset for a number of seats as a file for other programs: a module with a table of names."""

from __future__ import annotations

from typing import Any

from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.lower.layout import NUMBERS
from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.wasm.wasm_format import custom_section

SECTION = "rulespec"
"""The name of the section that holds the table, as JSON."""


def exported(game: Game) -> bytes:
    """The module of a game's ruleset, seats and settings.

    Raises:
        NoWasmtimeError: if wasmtime is not installed.
        NoWasmError: if its program cannot be carried out in wasm.
    """
    wasm = wasm_program(game.ruleset, len(game.seats), game.settings)
    return wasm.compiled.code + custom_section(SECTION, to_json_text(names(game)).encode())


def names(game: Game) -> dict[str, Any]:
    """The names behind the numbers of a module.

    `cells` are those of the rules, in order; each has its address, and `words` tells how many numbers of 64 bits a cell
    takes that holds a wide set. `options` are numbered as in the buffer of options; `asked` says for each block which
    decision is open there, -1: none. `registers` are addresses.
    `numbers` is the version of the numbering.
    """
    wasm = wasm_program(game.ruleset, len(game.seats), game.settings)
    memory, p = wasm.compiled.memory, wasm.p
    waits = p.asked()
    return {
        "rulespec_wasm": 1,
        "numbers": NUMBERS,
        "ruleset": game.ruleset.ref,
        "ruleset_hash": game.ruleset.hash,
        "random": GENERATOR,
        "sources_hash": game.ruleset.sources_hash,
        "seats": list(game.seats),
        "settings": dict(game.settings),
        "endings": p.endings,
        "kinds": {kind: list(of) for kind, of in game.omniscient.labels.names.items()},
        "cells": [
            {
                "group": c.group,
                "owner": c.owner,
                "name": c.name,
                "type": c.type,
                "place": c.place,
                "at": memory.address(at),
                "words": memory.words if at in memory.ranks else 1,
            }
            for at, c in enumerate(p.cells)
        ],
        "decisions": [d.name for d in p.decisions],
        "options": [
            {
                "decision": d,
                "name": p.decisions[d].choices[k].name,
                "params": [{"name": q.name, "type": q.type} for q in p.decisions[d].choices[k].params],
            }
            for d, k in wasm.compiled.options
        ],
        "asked": [waits.get(block, -1) for block in range(len(p.blocks))],
        "main": p.main,
        "registers": {key: at for key, at in memory.constants.items() if key.isupper()},
    }
