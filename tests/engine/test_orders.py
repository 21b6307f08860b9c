"""Orders: state that holds members in an order, each once at most, under both backends."""

from __future__ import annotations

import pytest
from worlds import IDLE, WORLD, Play, lines, listed, run, take

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.state_json import state_json

QUEUES = WORLD.replace(
    "  towns: {type: set town}\n",
    "  towns: {type: set town}\n  turns: {type: order player, start: player}\n"
    "  road: {type: order town, start: [ash, oak]}\n",
).replace("secret: {type: int, private: true}", "secret: {type: int, private: true}, hand: {type: order good}")

VALUES = lines(
    """
    queue                                        → []
    turns                                        → [ann, bob]
    road                                         → [ash, oak]
    bob.hand                                     → []
    first(road)                                  → ash
    first(queue)                                 → none
    first(t in road where t.tax < 6)             → oak
    first(t in road by t.tax)                    → oak
    first(t in road by 1)                        → ash
    oak in road and elm not in road              → true
    count(road)                                  → 2
    road | {fir}                                 → {oak, ash, fir}
    town - road                                  → {elm, fir}
    {t in road where t.tax > 3}                  → {ash}
    sum(t.tax for t in road)                     → 10
    {t in town by -t.tax}                        → [fir, ash, elm, oak]
    {t in town where t.near != {} by -t.tax}     → [fir, elm, oak]
    {t in road by 1}                             → [ash, oak]
    best(t in road by 1)                         → {oak, ash}
    union(road for t in town)                    → {oak, ash}
    reach(t from road: t.near)                   → {oak, elm, ash}
    road == road and road != queue               → true
    """
)


@pytest.mark.parametrize("text, value", VALUES, ids=[t for t, _ in VALUES])
def test_an_expression_has_its_value(play: Play, text: str, value: str) -> None:
    assert play(IDLE + QUEUES).omniscient.value(text) == value


def value_of(play: Play, body: str, rest: str = "") -> object:
    text = "".join(f"    {line}\n" for line in body.strip("\n").split("\n"))
    game = play(f"procedure play():\n{text}    chance rest:\n        option end:\n            end game\n{rest}{QUEUES}")
    assert not isinstance(game.decision, str)
    return game


@pytest.mark.parametrize(
    "body, queue",
    [
        ("set queue to [fir, oak, ash]", "[fir, oak, ash]"),
        ("set queue to town", "[oak, elm, ash, fir]"),
        ("set queue to {fir, elm}", "[elm, fir]"),
        ("set queue to road", "[ash, oak]"),
        ("set queue to {t in town by t.tax % 4, -t}", "[fir, elm, ash, oak]"),
        ("set queue to {t in road | {fir} by t == oak}", "[ash, fir, oak]"),
        ("set queue to town\nset queue to {}", "[]"),
        ("set queue to road\nset queue to []", "[]"),
        ("add fir to queue\nadd oak to queue\nadd elm to queue", "[fir, oak, elm]"),
        ("set queue to town\nadd elm to queue", "[oak, ash, fir, elm]"),
        ("set queue to town\ntake elm from queue\ntake elm from queue", "[oak, ash, fir]"),
        ("for t in road:\n    add t to queue", "[ash, oak]"),
        ("for t in road where t.tax > 3:\n    add t to queue", "[ash]"),
        ("for t in road by t.tax % 2, t == oak:\n    add t to queue", "[ash, oak]"),
        ("for t in road:\n    take oak from road\n    add t to queue", "[ash, oak]"),  # fixed when it begins
        ("let o = {t in town by -t}\nadd oak to road\nset queue to o", "[fir, ash, elm, oak]"),
        ("let o = road\nadd ash to o\nset queue to o", "[oak, ash]"),
        ("set queue to later(road, fir)", "[ash, oak, fir]"),
        ("set queue to road if n == 0 else queue", "[ash, oak]"),
    ],
)
def test_an_order_is_what_was_done_to_it(play: Play, body: str, queue: str) -> None:
    rest = "def later(o: order town, t: town) -> order town: {u in o | {t} by u == t, u.tax < 5}\n"
    game = play(
        "procedure play():\n" + "".join(f"    {line}\n" for line in body.split("\n")) + "    wait()\n"
        "procedure wait():\n    chance rest:\n        option end:\n            end game\n" + rest + QUEUES
    )
    assert game.decision is not None
    assert game.omniscient.value("queue") == queue


def test_equal_orders_are_equal_states(play: Play) -> None:
    rules = """
procedure play():
    repeat at most 3:
        chance change:
            option put(t in town):
                add t to queue
            option out(t in queue):
                take t from queue
"""
    one, other = play(rules + QUEUES), play(rules + QUEUES)
    take(one, "put(oak)", "put(elm)", "put(oak)")
    take(other, "put(ash)", "put(elm)", "put(oak)")
    assert one.hash != other.hash
    other.undo()
    other.undo()
    take(other, "out(ash)", "put(oak)")
    assert one.omniscient.value("queue") == "[elm, oak]" and other.omniscient.value("queue") == "[oak]"
    assert listed(other) == []
    third = take(play(rules + QUEUES), "put(elm)", "put(oak)", "put(oak)")
    assert third.hash == one.hash and third.omniscient.numbers.cells == one.omniscient.numbers.cells


def test_chance_says_who_is_next_when_an_order_is_shuffled(play: Play) -> None:
    rules = "procedure play():\n    shuffle road\n    set queue to town\n    shuffle queue\n    shuffle bobs()\n"
    rules = rules.replace(
        "    shuffle bobs()\n", "    take oak from road\n    shuffle road\n    set road to []\n    shuffle road\n"
    )
    game = play(rules + QUEUES)
    assert game.decision is not None and game.decision.name == "road" and game.decision.by is None
    assert listed(game) == ["next(oak)", "next(ash)"]
    take(game, "next(oak)")
    assert game.omniscient.value("road") == "[oak, ash]"
    assert listed(game) == ["next(oak)", "next(elm)", "next(ash)", "next(fir)"]
    take(game, "next(fir)", "next(oak)")
    assert listed(game) == ["next(elm)", "next(ash)"] and game.omniscient.value("queue") == "[fir, oak]"
    take(game, "next(ash)")
    assert (
        game.is_over and game.omniscient.value("queue") == "[fir, oak, ash, elm]"
    )  # of one or none there is nothing to ask


def test_orders_are_lists_in_json_and_in_what_scenarios_write(play: Play) -> None:
    game = run(play, "set n to 1")
    assert game is not None
    game = play(IDLE + QUEUES)
    game.omniscient.set_value("turns", "[bob, ann]")
    game.omniscient.set_value("ann.hand", "[salt]")
    state = state_json(game)["entities"]
    assert state["game"]["game"]["turns"] == ["bob", "ann"] and state["game"]["game"]["queue"] == []
    assert state["player"]["ann"]["hand"] == ["salt"]


@pytest.mark.parametrize(
    "body, code",
    [
        ("set queue to [oak, oak]", "RS281"),
        ("set queue to [corn]", "RS301"),
        ("set towns to [oak]", "RS301"),
        ("set queue to {g in good by g}", "RS301"),
        ("set n to queue", "RS301"),
        ("add oak to towns", "RS301"),
        ("add 1 to n", "RS301"),
        ("take oak from towns", "RS301"),
        ("shuffle towns", "RS301"),
        ("add corn to queue", "RS301"),
        ("add elm.twin to queue", "RS303"),
        ("for t in queue from oak:\n    set n to 1", "RS229"),
        ("set n to first(n)", "RS301"),
        ("set n to first(queue).tax", "RS303"),
        ("decide d together by p in player:\n    option o:\n        shuffle queue", "RS408"),
    ],
)
def test_what_is_no_order_is_told(play: Play, body: str, code: str) -> None:
    text = "".join(f"    {line}\n" for line in body.split("\n"))
    with pytest.raises(DiagnosticsError) as error:
        play(f"procedure play():\n{text}    set m to 1\n{QUEUES}")
    assert code in {d.code for d in error.value.diagnostics}


def test_facts_are_no_orders(play: Play) -> None:
    with pytest.raises(DiagnosticsError, match="RS215"):
        play(IDLE + WORLD.replace("facts: {", "facts: {way: order town, ", 1))
