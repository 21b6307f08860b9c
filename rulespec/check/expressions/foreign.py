"""Names from other languages, with help texts that suggest the equivalents."""

from __future__ import annotations

_NOTHING = "no value is written `none`"
_NUMBERS = "numbers are no set: compare with `a <= n and n <= b`; `repeat at most n:` counts"
_SIZE = "the number of members is `count(s)`"
_CHANCE = "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block"
_SET = "a set is written in braces: `{a, b}`"
_WHOLE = "numbers are whole, and division rounds down: leave it out"
_EACH = "write `any(x in s where c)` or `all(x in s: c)`"
TURNS = "directions are turned by their kind: `direction.ahead(d, k)`, `direction.back(d)`"
_SUBSETS = "operators such as `any(x in subsets(s): c)` go through subsets; a parameter chooses: `x in choose 2 of s`"
_COUNTING = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

NAMES = {
    **dict.fromkeys(["True", "TRUE"], "write `true`"),
    **dict.fromkeys(["False", "FALSE"], "write `false`"),
    **dict.fromkeys(["None", "NONE", "null", "NULL", "Null", "nil", "undefined"], _NOTHING),
    **dict.fromkeys(["before", "old", "previous_state"], "a `let` before it keeps what was: `let before = …`"),
    **{word: f"a number is written in digits: `{number}`" for number, word in enumerate(_COUNTING)},
}
"""The help for each bare name."""

CALLS = {
    **dict.fromkeys(["len", "size", "length", "Count", "cardinality"], _SIZE),
    **dict.fromkeys(["range"], _NUMBERS),
    **dict.fromkeys(["random", "rand", "randint", "randrange", "roll", "dice", "die", "choice", "shuffle"], _CHANCE),
    **dict.fromkeys(["set", "list", "tuple", "array"], _SET),
    **dict.fromkeys(["round", "floor", "int", "float", "trunc"], _WHOLE),
    **dict.fromkeys(["exists", "some", "every", "forall"], _EACH),
    **dict.fromkeys(["prev", "before", "predecessor", "last", "left"], "the one before is `previous(x)`"),
    **dict.fromkeys(["succ", "following", "successor", "right"], "the one after is `next(x)`"),
    **dict.fromkeys(["turn", "rotate", "opposite", "reverse"], TURNS),
    **dict.fromkeys(["subsets", "powerset", "combinations"], _SUBSETS),
    **dict.fromkeys(["isset", "is_some", "defined", "is_none", "isnull"], "write `x is some` or `x is none`"),
}
"""The help for each foreign name that is called like a function."""

MEMBERS = {
    **dict.fromkeys(["size", "length", "count", "len"], _SIZE),
    **dict.fromkeys(["add", "remove", "union", "difference"], "sets are joined with `|`, and subtracted with `-`"),
    **dict.fromkeys(["contains", "includes", "has"], "write `x in s`"),
}
"""The help for each member of a set."""

TYPES = {
    **dict.fromkeys(["number", "integer", "float", "num", "real"], "a number is `int`, or has a unit"),
    **dict.fromkeys(["string", "text", "str", "char"], "no value is a text: declare a kind, with an entity for each"),
    **dict.fromkeys(["list", "array", "tuple"], "there are no lists: a set is `set kind`"),
    **{word: f"its members have a kind: `{word} kind`" for word in ("set", "order", "bag")},
    "path": "its stops have a kind: `path kind`",
    **dict.fromkeys(["void", "nothing", "unit"], "a `procedure` without `->` has no value"),
}
"""The help for each name of a type."""

PROCEDURES = {
    **dict.fromkeys(["win", "wins", "winner", "end_game", "game_over", "finish"], "write `end game won by {p}`"),
    **dict.fromkeys(["print", "log", "echo"], "rules print nothing: remove it"),
}
"""The help for each name of a procedure."""
