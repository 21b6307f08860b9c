"""Random parts of programs with private information."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_expressions import ExpressionWriter

PRIVATE = {
    "guest: {index: player, fresh: true}": "guest: {index: player, fresh: true, private: true}",
    "road: {index: town}": 'road: {index: town, private: {to: "{}", open: few == 1, count: true}}',
    "mark: {type: int}": 'mark: {type: int, private: {to: "{}", open: few > 2}}',
    "state: {size: {type: int}}": "state: {size: {type: int, private: true}}",
    "state: {cash: {account: money}": "state: {cash: {account: money, private: {open: few == 2}}",
    "m: {type: int}": 'm: {type: int, private: {to: "first(player)"}}',
    "queue: {type: order town}": 'queue: {type: order town, private: {to: "{}"}}',
    "tired: {type: int}": 'tired: {type: int, private: {to: "first(player)"}}',
    "flag: {each: [], places: {supply: {}, at: {index: town}}}": (
        'flag: {each: [], places: {supply: {}, at: {index: town, private: {to: "{}", count: true}}}}'
    ),
    "seal: {each: [player, good], places: {supply: {}": (
        "seal: {each: [player, good], places: {supply: {private: {to: player}}"
    ),
    "height: {type: int?}": 'height: {type: int?, private: {to: "{}"}}',
    "worn: {type: int 0..5, start: 1}": 'worn: {type: int 0..5, start: 1, private: {to: "{}", open: few == 1}}',
}


def secretive(world: str) -> str:
    """The world with private state."""
    for public, private in PRIVATE.items():
        assert public in world, public
        world = world.replace(public, private, 1)
    return world


def privacy(w: ExpressionWriter, scope: dict[str, str]) -> str:
    """The privacy clause of a parameter; "" for a public one."""
    if w.number(w.secrets):
        return ""
    seers = [name for name, type_ in scope.items() if type_ == "player"]
    return f" private to {w.pick(*seers)}" if seers and w.number(2) else " private"
