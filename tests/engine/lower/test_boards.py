"""Boards: the results of steps and rays, under both backends, compared with arithmetic on coordinates."""

from __future__ import annotations

import random

from worlds import Play, lines

from rulespec.engine.game.game import Game

BOARD = """
procedure play():
    chance rest:
        option end:
            end game
--- kinds.yaml
kinds:
  square: {state: {man: {type: bool}}}
  direction: {facts: {opposite: direction}, state: {seen: {type: int}}}
  shade: {entities: {dark: {}, light: {}}}
state:
  men: {type: set square}
  at: {type: square?}
  far: {type: int}
pieces:
  stone: {each: [], places: {supply: {}, on: {index: square}}}
--- boards.yaml
boards:
  square:
    doc: Five columns and four rows.
    grid: {columns: a..e, rows: 1..4}
    directions:
      n: {step: [0, 1], opposite: s}
      ne: {step: [1, 1], opposite: sw}
      e: {step: [1, 0], opposite: w}
      s: {step: [0, -1], opposite: n}
      sw: {step: [-1, -1], opposite: ne}
      w: {step: [-1, 0], opposite: e}
      over: {step: [2, 0], opposite: back}
      back: {step: [-2, 0], opposite: over}
    links:
      leap: [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]]
      beside: [e, w]
    facts: {shade: shade?, corner: bool}
    checks:
      inside: {that: square.row <= 4 and square.column >= 1, text: "the board ends"}
    spaces:
      a1: {shade: dark, corner: true, title: The corner}
      e4: {corner: true}
  point:
    line: p1..p6
    direction: course
    directions: {up: 1, down: -1, leaping: 2}
"""
HEXES = """
procedure play():
    chance rest:
        option end:
            end game
--- boards.yaml
boards:
  cell: {hexes: [2, 3, 2]}
"""
STEPS = {
    "n": (0, 1),
    "ne": (1, 1),
    "e": (1, 0),
    "s": (0, -1),
    "sw": (-1, -1),
    "w": (-1, 0),
    "over": (2, 0),
    "back": (-2, 0),
}


def name(x: int, y: int) -> str:
    return "abcde"[x] + str(y + 1)


def ray(x: int, y: int, step: str, stops: set[str]) -> list[str]:
    """The squares in a direction, computed one by one."""
    results: list[str] = []
    while not (results and results[-1] in stops):
        x, y = x + STEPS[step][0], y + STEPS[step][1]
        if not (0 <= x < 5 and 0 <= y < 4):
            break
        results.append(name(x, y))
    return results


def shown(names: list[str]) -> str:
    order = [name(x, y) for y in range(4) for x in range(5)]
    return "{" + ", ".join(sorted(names, key=order.index)) + "}"


VALUES = lines(
    f"""
    square                                              → {shown([name(x, y) for y in range(4) for x in range(5)])}
    count(direction) + count(course)                    → 11
    c2.column * 10 + c2.row                             → 32
    c2.to(n)                                            → c3
    a1.to(w)                                            → none
    a1.to(w) ?? b2                                      → b2
    a1.to(over)                                         → c1
    a1.to(ne, 3)                                        → d4
    a1.to(ne, 4)                                        → none
    d4.to(ne, -3)                                       → a1
    c2.to(n, 0)                                         → c2
    c2.to(n).row                                        → 3
    c2.to(direction.s)                                  → c1
    n.opposite                                          → s
    {{d in direction where d.opposite == over}}         → {{back}}
    a1.leap                                             → {{c2, b3}}
    c2.beside                                           → {{b2, d2}}
    ray(a1, ne)                                         → {{b2, c3, d4}}
    ray(a1, ne until {{c3, d4}})                        → {{b2, c3}}
    ray(e3, w until {{b3, c3}})                         → {{c3, d3}}
    ray(e3, w until {{}})                               → {{a3, b3, c3, d3}}
    ray(e3, w until {{e3}})                             → {{a3, b3, c3, d3}}
    ray(a1, w until square)                             → {{}}
    {{a1.to(w), a1.to(e), c2}}                          → {{b1, c2}}
    {{a1.to(d) for d in direction}}                     → {{b1, c1, a2, b2}}
    a1.shade                                            → dark
    b1.shade                                            → none
    {{x in square where x.corner}}                      → {{a1, e4}}
    p2.to(up, 3)                                        → p5
    p2.to(leaping)                                      → p4
    ray(p5, down until {{p3}})                          → {{p3, p4}}
    p4.number                                           → 4
    any(x in square where x.to(n) is some and x.to(n).row == 4) → true
    """
)
OF_HEXES = lines(
    """
    cell                                → {a1, a2, b1, b2, b3, c1, c2}
    direction                           → {e, ne, nw, w, sw, se}
    {b2.to(d) for d in direction}       → {a1, a2, b1, b3, c1, c2}
    {a1.to(d) for d in direction}       → {a2, b1, b2}
    a1.to(se)                           → b2
    a1.to(sw)                           → b1
    ray(c1, ne)                         → {a2, b2}
    ray(c1, ne until {b2})              → {b2}
    ray(a1, se until {b2})              → {b2}
    b3.row * 10 + b3.column             → 23
    """
)


def test_expressions_have_their_values(play: Play) -> None:
    game = play(BOARD)
    assert [(text, game.omniscient.value(text)) for text, _ in VALUES] == VALUES


def test_hexes_have_six_directions(play: Play) -> None:
    game = play(HEXES)
    assert [(text, game.omniscient.value(text)) for text, _ in OF_HEXES] == OF_HEXES


def test_rows_of_hexes_of_one_length_lie_half_a_hex_apart(play: Play) -> None:
    game = play(HEXES.replace("[2, 3, 2]", "[2, 2, 2]"))
    assert game.omniscient.value("{a1.to(d) for d in direction}") == "{a2, b1}"
    assert game.omniscient.value("{b1.to(d) for d in direction}") == "{a1, a2, b2, c1, c2}"


WITHOUT_RULES = BOARD[BOARD.index("--- ") :]
RULES = """
procedure play():
    repeat:
        chance probe:
            option place(x in square):
                set men to men | {x}
            option from(x in square, d in direction, k in 0 - 6 .. 6):
                set at to x.to(d)
                set far to 1 + x.to(d, k).index if x.to(d, k) is some else 0
                set whole to ray(x, d)
                set seen to ray(x, d until men)
                set around to union(ray(x, y until men) for y in direction)
                set north to ray(x, n until men)
                set west to ray(x, w until {y in square where y in men and y != x})
                set near to {x.to(y) for y in direction} | {x.to(e), x.to(over)}
            option end:
                end game
"""


def members(game: Game, field: str) -> set[str]:
    return set(game.omniscient.value(field).strip("{}").split(", ")) - {""}


def test_rays_and_steps_are_what_arithmetic_says(play: Play) -> None:
    draw = random.Random(3)
    fields = "".join(f"  {f}: {{type: set square}}\n" for f in ("whole", "seen", "around", "north", "west", "near"))
    game = play(RULES + WITHOUT_RULES.replace("  far: {type: int}\n", "  far: {type: int}\n" + fields))
    for _ in range(8):
        game.apply(game.parse(f"place({name(draw.randrange(5), draw.randrange(4))})"))
        men = members(game, "men")
        for _ in range(8):
            x, y, k, d = draw.randrange(5), draw.randrange(4), draw.randrange(-6, 7), draw.choice(list(STEPS))
            game.apply(game.parse(f"from({name(x, y)}, {d}, {k})"))
            there = [x + STEPS[d][0], y + STEPS[d][1]]
            far = x + k * STEPS[d][0], y + k * STEPS[d][1]
            assert game.omniscient.value("at") == (name(*there) if 0 <= there[0] < 5 and 0 <= there[1] < 4 else "none")
            index = far[0] + 5 * far[1] + 1 if 0 <= far[0] < 5 and 0 <= far[1] < 4 else 0
            assert game.omniscient.value("far") == str(index)
            assert members(game, "whole") == set(ray(x, y, d, set()))
            assert members(game, "seen") == set(ray(x, y, d, men))
            assert members(game, "around") == {z for each in STEPS for z in ray(x, y, each, men)}
            assert members(game, "north") == set(ray(x, y, "n", men))
            assert members(game, "west") == set(ray(x, y, "w", men - {name(x, y)}))
            assert members(game, "near") == {ray(x, y, each, set())[0] for each in STEPS if ray(x, y, each, set())}
            assert game.omniscient.broken_invariants() == []


def test_a_board_has_state_pieces_and_options(play: Play) -> None:
    rules = """
procedure play():
    for d in direction where d.seen == 0:
        set d.seen to d.index + 1
    decide_all()
procedure decide_all():
    repeat:
        chance put:
            option stone(x in square where stone.on[x] == 0 "taken", d in direction):
                require x.to(d) is some and not x.to(d).man    "nothing there"
                set x.to(d).man to true
            option end:
                end game
"""
    game = play(rules + WITHOUT_RULES)
    assert game.omniscient.value("back.seen") == "8"
    assert (
        len(list(game.legal_options))
        == sum(1 for x in range(5) for y in range(4) for d in STEPS if ray(x, y, d, set())) + 1
    )
    game.apply(game.parse("stone(a1, ne)"))
    assert game.omniscient.value("{x in square where x.man}") == "{b2}"
    refused = game.why_not(game.parse("stone(b1, n)"))
    assert refused is not None and "nothing there" in str(refused)
    game.undo()
    assert game.omniscient.value("{x in square where x.man}") == "{}"


def test_a_board_of_many_spaces(play: Play) -> None:
    """More spaces than a machine word has bits."""
    rules = """
procedure play():
    chance rest:
        option go(x in spot, d in direction):
            set found to ray(x, d until {y in spot where y.column == y.row})
        option end:
            end game
--- kinds.yaml
state: {found: {type: set spot}}
--- boards.yaml
boards:
  spot:
    grid: {columns: a..s, rows: 1..19}
    directions: {n: [0, 1], e: [1, 0], se: [1, -1]}
"""
    game = play(rules)
    game.apply(game.parse("go(a3, e)"))
    assert game.omniscient.value("found") == "{b3, c3}"


def test_coverage_does_not_count_the_functions_of_boards(play: Play) -> None:
    text = "def jump(x: square, k: int) -> set square: {x.to(n, k), x.to(e, k + 1)}\n"
    game = play(
        text
        + BOARD.replace(
            "option end:", "option go(x in jump(square.a1, far + 1)):\n            pass\n        option end:"
        )
    )
    assert [str(o) for o in game.legal_options] == ["go(c1)", "go(a2)", "end"]
