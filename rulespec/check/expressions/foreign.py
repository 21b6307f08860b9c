"""Names from other languages, with their equivalents here."""

from __future__ import annotations

_NOTHING = "no value is written `none`"
_NUMBERS = "numbers are no set: compare with `a <= n and n <= b`; `repeat at most n:` counts"
_SIZE = "the number of members is `count(s)`"
_CHANCE = "chance has a line of its own: `roll name(n in 1 .. 6)`; `n` is known from there to the end of the block"
_SET = "a set is written in braces: `{a, b}`"
_WHOLE = "numbers are whole, and division rounds down: leave it out"
_EACH = "write `any(x in s where c)` or `all(x in s: c)`"

NAMES = {
    **dict.fromkeys(["True", "TRUE"], "write `true`"),
    **dict.fromkeys(["False", "FALSE"], "write `false`"),
    **dict.fromkeys(["None", "NONE", "null", "NULL", "Null", "nil", "undefined"], _NOTHING),
}
"""Name alone → the help for it."""

CALLS = {
    **dict.fromkeys(["len", "size", "length", "Count", "cardinality"], _SIZE),
    **dict.fromkeys(["range"], _NUMBERS),
    **dict.fromkeys(["random", "rand", "randint", "randrange", "roll", "dice", "die", "choice", "shuffle"], _CHANCE),
    **dict.fromkeys(["set", "list", "tuple", "array"], _SET),
    **dict.fromkeys(["round", "floor", "int", "float", "trunc"], _WHOLE),
    **dict.fromkeys(["exists", "some", "every", "forall"], _EACH),
    **dict.fromkeys(["prev", "before", "predecessor", "last", "left"], "the one before is `previous(x)`"),
    **dict.fromkeys(["succ", "following", "successor", "right"], "the one after is `next(x)`"),
    **dict.fromkeys(["isset", "is_some", "defined", "is_none", "isnull"], "write `x is some` or `x is none`"),
}
"""Name of a call → the help for it."""

MEMBERS = {
    **dict.fromkeys(["size", "length", "count", "len"], _SIZE),
    **dict.fromkeys(["add", "remove", "union", "difference"], "sets are joined with `|`, and taken apart with `-`"),
    **dict.fromkeys(["contains", "includes", "has"], "write `x in s`"),
}
"""Member of a set → the help for it."""

TYPES = {
    **dict.fromkeys(["number", "integer", "float", "num", "real"], "a number is `int`, or has a unit"),
    **dict.fromkeys(["string", "text", "str", "char"], "no value is a text: declare a kind, with an entity for each"),
    **dict.fromkeys(["list", "array", "tuple"], "there are no lists: a set is `set kind`"),
    **dict.fromkeys(["void", "nothing", "unit"], "what has no value is a `procedure` without `->`"),
}
"""Name of a type → the help for it."""

PROCEDURES = {
    **dict.fromkeys(["win", "wins", "winner", "end_game", "game_over", "finish"], "write `end game won by {p}`"),
    **dict.fromkeys(["print", "log", "echo"], "rules print nothing: leave it out"),
}
"""Name of a procedure → the help for it."""
