"""Rows of positions whose cells hold sets that use the last bit of a word, or more words than one."""

from __future__ import annotations

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

import numpy as np
from programs import with_rules
from programs_wide import SIZES, towns_of

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.engine.wasm.rows import RowForm

WHOLE = "{c in town where c.tax > 0}"
FIELDS = {
    "what all have named": f"""
            decide act together by q in player:
                option take(t in town):
                    let around = {WHOLE} - {{t}} | t.shun
                    let one = count(around) + q.index
                    let next_one = first(c in around from t)
                    require one > 0
                    set towns to around
                    set n to one
                    set best to none if next_one is none else q
""",
    "what an option has named": f"""
            decide act by p:
                option take(t in town):
                    let around = {WHOLE} - t.shun
                    require t in around or t.tax > 0
                    choose more(u in around) by p
                    set towns to around - {{u}}
                    set t.watched to around
""",
    "a parameter of a procedure, and what is left of a loop": f"""
            walk(p, {WHOLE} - {{fir}})
""",
    "the value of a procedure": """
            let rest = asked(p)
            set towns to rest | {oak}
            choose final(t in rest) by p
            set t.watched to rest
""",
    "an order": """
            for t in town by 0 - t.index:
                add t to queue
                choose turn(u in queue) by p
                set towns to towns | {u, t}
""",
}
RULES = """
procedure walk(p: player, u: set town):
    for t in u from elm:
        choose step(x in u) by p
        set towns to (towns | u) - {{x}}
procedure asked(p: player) -> set town:
    choose single(t in town) by p
    return {{c in town where c != t}}
procedure play():
    repeat at most 5:
        for p in player:
{body}"""


def spread(game: Game, seed: int) -> list[Game]:
    """Positions of a random game."""
    draws, result = Draws(seed), [game.copy()]
    for _ in range(5):
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
        result.append(game.copy())
    return result


@pytest.mark.parametrize("size", [63, 64, 65, 128, 257])
@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.sampled(1)
def test_rows_are_the_same_in_wasm_and_in_python(name: str, size: int) -> None:
    ruleset = with_rules(RULES.format(body=FIELDS[name].strip("\n")), towns_of(size))
    games = spread(Game(ruleset, ["ann", "bob"]), size)
    fast, plain = open_search(games[0]), Search(games[0])
    rows = fast.rows(games)
    assert rows.tolist() == plain.rows(games).tolist()
    assert [plain.game(row).omniscient.numbers.cells for row in rows] == [
        game.omniscient.numbers.cells for game in games
    ]
    few = rows[1::2]
    one, other = fast.expand(few), plain.expand(few)
    assert all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))
    first = fast.apply(rows, [0] * len(rows))
    assert np.array_equal(first, plain.apply(rows, [0] * len(rows)))
    assert fast.hashes(rows).tolist() == [int(game.hash, 16) for game in games]
    ends = fast.playouts(few, 7), plain.playouts(few, 7)
    assert all(np.array_equal(a, b) for a, b in zip(*ends, strict=True))
    plan = GamePlan.of(ruleset.ref, ruleset, [2], 5)
    assert list(play_in_wasm(plan, ruleset, range(4))) == [Outcome.of(plan.play(ruleset, n)) for n in range(4)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.sampled(2)
def test_each_cell_is_read_back_from_a_row(size: int) -> None:
    """Sets of all members, and of the last one alone."""
    game = Game(
        with_rules(RULES.format(body=FIELDS["what all have named"].strip("\n")), towns_of(size)), ["ann", "bob"]
    )
    form, cells = RowForm(game.omniscient.numbers.program), game.omniscient.numbers.cells
    for at, cell in enumerate(game.omniscient.numbers.program.cells):
        if cell.type == "set town":
            for value in ((1 << size) - 1, 1 << size - 1):
                row = form.row([*cells[:at], value, *cells[at + 1 :]])
                assert np.array(row, np.int64).tolist() == row
                assert form.values(row)[at] == value
