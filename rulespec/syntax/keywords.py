"""The words of the rules language, grouped by the kinds of names for which they are reserved. New forms add their words
here.

Built-in functions outside the grammar have records instead. If several of the sets below contain a word, the first one
decides. A reserved name is reported at its declaration.
"""

from __future__ import annotations

from rulespec.language.builtins import BUILTINS

BEGIN_EXPRESSIONS = frozenset(
    ["all", "any", "count", "false", "first", "max", "min", "none", "not", "reach", "sum", "true", "union"]
)
"""Words that begin an expression; no name used in expressions can be one of them."""

BETWEEN_EXPRESSIONS = frozenset(["and", "else", "if", "in", "is", "once", "or"])
"""Words that continue an expression; no name used in expressions can be one of them."""

TO_COME = frozenset(["top"])
"""Words reserved for future use."""

FUNCTIONS = (
    frozenset(["best", "cheapest", "longest", "original", "path", "ray", "told", "trail"])
    | TO_COME
    | {name for name, each in BUILTINS.items() if each.reserved and name not in BEGIN_EXPRESSIONS}
)
"""Words called like a definition; no definition can have such a name, but a variable can."""

BEGIN_STATEMENTS = frozenset(
    [
        *("add", "again", "ask", "case", "chance", "choose", "continue", "cost", "decide", "elif", "end", "for"),
        *("guard", "hook", "leave", "let", "match", "move", "needs", "option", "otherwise", "pass", "pay", "repeat"),
        *("require", "return", "roll", "set", "shuffle", "take", "with"),
    ]
)
"""Words that begin a statement, where a procedure call would otherwise begin; no procedure can have such a name."""

WITHDRAW = "withdraw"
"""The built-in option of every draft."""

OTHERS = frozenset(
    [
        *(
            "after",
            "as",
            "at",
            "bag",
            "before",
            "bool",
            "but",
            "by",
            "change",
            "costs",
            "counts",
            "decision",
            "deep",
            "def",
            "draft",
            "drops",
            "extend",
            "from",
            "game",
        ),
        *("include", "index", "int", "invariant", "lead", "most", "of", "options", "order", "players", "private"),
        *("procedure", "remove", "replace", "score"),
        *(
            "scoring",
            "some",
            "tiebreak",
            "to",
            "together",
            "turn",
            "turns",
            "until",
            "weight",
            "when",
            "where",
            "within",
            "won",
            "worth",
            "wrap",
        ),
    ]
)
"""Words in positions where no name can occur; they are not reserved."""

NO_NAMES = BEGIN_EXPRESSIONS | BETWEEN_EXPRESSIONS | {"next"}
"""Words reserved for all declarations, including places of pieces; `next` is a former word of the grammar."""

NO_VALUES = NO_NAMES | {"players"}
"""Words reserved for variables, entities and values of settings."""

NO_DECLARATIONS = NO_VALUES | {"bool", "index", "int", "original", "set"}
"""Words reserved for kinds, state, constants and the like."""

NO_DEFINITIONS = NO_NAMES | FUNCTIONS
NO_PROCEDURES = NO_NAMES | BEGIN_STATEMENTS | {"original"}

WORDS = BEGIN_EXPRESSIONS | BETWEEN_EXPRESSIONS | FUNCTIONS | BEGIN_STATEMENTS | OTHERS
"""All words of the language. No unit can have such a name: a unit follows a number, and so can these words."""
