"""Names from other languages, with help texts that suggest equivalents."""

from __future__ import annotations

_NOTHING = "write `none`"
_NUMBERS = (
    "write `1 .. n` for a parameter, compare with `a <= n and n <= b`, or count with `repeat at most n:`: "
    "there are no sets of numbers"
)
_SIZE = "write `count(s)` for the number of members"
_CHANCE = "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block"
_SET = "write a set in braces: `{a, b}`"
_WHOLE = "remove the call: numbers are whole, and division rounds down"
_EACH = "write `any(x in s where c)` or `all(x in s: c)`"
TURNS = "write the kind of the directions first: `direction.ahead(d, k)`, `direction.back(d)`"
_SUBSETS = "write `any(x in subsets(s): c)`, or choose by a parameter: `x in choose 2 of s`"
_COUNTING = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

NAMES = {
    **dict.fromkeys(["True", "TRUE"], "write `true`"),
    **dict.fromkeys(["False", "FALSE"], "write `false`"),
    **dict.fromkeys(["None", "NONE", "null", "NULL", "Null", "nil", "undefined"], _NOTHING),
    **dict.fromkeys(
        ["before", "old", "previous_state"], "keep the earlier value in a `let` before the change: `let before = …`"
    ),
    **{word: f"write the number in digits: `{number}`" for number, word in enumerate(_COUNTING)},
}
"""The help for each bare name."""

CALLS = {
    **dict.fromkeys(["len", "size", "length", "Count", "cardinality"], _SIZE),
    **dict.fromkeys(["range"], _NUMBERS),
    **dict.fromkeys(["random", "rand", "randint", "randrange", "roll", "dice", "die", "choice"], _CHANCE),
    **dict.fromkeys(["shuffle", "shuffled"], "write `shuffle o` on its own line"),
    **dict.fromkeys(["sorted", "sort", "order_by", "orderby"], "write `{x in s by k}` for an order by keys"),
    **dict.fromkeys(["argmax", "argmin"], "write `first(x in s by -k)` for the member with the greatest k"),
    **dict.fromkeys(["set", "list", "tuple", "array"], _SET),
    **dict.fromkeys(["round", "floor", "int", "float", "trunc"], _WHOLE),
    **dict.fromkeys(["exists", "some", "every", "forall"], _EACH),
    **dict.fromkeys(["prev", "before", "predecessor", "last", "left"], "write `previous(x)` for the entity before x"),
    **dict.fromkeys(["succ", "following", "successor", "right"], "write `next(x)` for the entity after x"),
    **dict.fromkeys(["turn", "rotate", "opposite", "reverse"], TURNS),
    **dict.fromkeys(["subsets", "subset", "powerset", "combinations"], _SUBSETS),
    **dict.fromkeys(["isset", "is_some", "defined", "is_none", "isnull"], "write `x is some` or `x is none`"),
}
"""The help for each foreign name that is called like a function."""

MEMBERS = {
    **dict.fromkeys(["size", "length", "count", "len"], _SIZE),
    **dict.fromkeys(["add", "remove", "union", "difference"], "join sets with `|`, and subtract them with `-`"),
    **dict.fromkeys(["contains", "includes", "has"], "write `x in s`"),
}
"""The help for each member of a set."""

TYPES = {
    **dict.fromkeys(["number", "integer", "float", "num", "real"], "write `int`, or a unit"),
    **dict.fromkeys(
        ["string", "text", "str", "char"], "declare a kind with an entity for each text: values cannot be text"
    ),
    **dict.fromkeys(["list", "array", "tuple"], "write `set kind`: there are no lists"),
    **{word: f"name the kind of its members: `{word} kind`" for word in ("set", "order", "bag")},
    "path": "name the kind of its stops: `path kind`",
    **dict.fromkeys(["void", "nothing", "unit"], "omit `->` for a procedure without a value"),
}
"""The help for each name of a type."""

PROCEDURES = {
    **dict.fromkeys(["win", "wins", "winner", "end_game", "game_over", "finish"], "write `end game won by {p}`"),
    **dict.fromkeys(["print", "log", "echo"], "remove it: rules cannot print"),
    **dict.fromkeys(["super", "base", "parent"], "write `original(…)` in a rule that wraps another"),
}
"""The help for each name of a procedure."""
