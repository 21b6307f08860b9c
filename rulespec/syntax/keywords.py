"""The words of the rules language, with the kinds of names they are refused for. A new form adds its words here.

Built-in functions outside the grammar have records instead. The first matching set decides. A refusal is reported at
the declaration of the name.
"""

from __future__ import annotations

from rulespec.language.builtins import BUILTINS

BEGIN_EXPRESSIONS = frozenset(
    ["all", "any", "count", "false", "first", "max", "min", "none", "not", "reach", "sum", "true", "union"]
)
"""They begin an expression, so nothing that rules can write has such a name."""

BETWEEN_EXPRESSIONS = frozenset(["and", "else", "if", "in", "is", "once", "or"])
"""They go on with an expression; nothing that rules can write has such a name."""

TO_COME = frozenset(["top"])
"""They will have a meaning."""

FUNCTIONS = (
    frozenset(["best", "cheapest", "longest", "original", "path", "ray", "told", "trail"])
    | TO_COME
    | {name for name, each in BUILTINS.items() if each.reserved and name not in BEGIN_EXPRESSIONS}
)
"""They are called like definitions, so no definition has such a name; a variable may."""

BEGIN_STATEMENTS = frozenset(
    [
        *("add", "again", "ask", "case", "chance", "choose", "continue", "cost", "decide", "elif", "end", "for"),
        *("guard", "hook", "leave", "let", "match", "move", "needs", "option", "otherwise", "pass", "pay", "repeat"),
        *("require", "return", "roll", "set", "shuffle", "take", "with"),
    ]
)
"""They begin a statement, where else a procedure is called: no procedure has such a name."""

WITHDRAW = "withdraw"
"""The option that every draft has by itself."""

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
"""They stand where no name can."""

NO_NAMES = BEGIN_EXPRESSIONS | BETWEEN_EXPRESSIONS | {"next"}
"""No place of pieces and nothing else that is declared has such a name; `next` was a word of the grammar."""

NO_VALUES = NO_NAMES | {"players"}
"""No variable, no entity and no value of a setting has such a name."""

NO_DECLARATIONS = NO_VALUES | {"bool", "index", "int", "original", "set"}
"""No kind, state, constant or the like has such a name."""

NO_DEFINITIONS = NO_NAMES | FUNCTIONS
NO_PROCEDURES = NO_NAMES | BEGIN_STATEMENTS | {"original"}

WORDS = BEGIN_EXPRESSIONS | BETWEEN_EXPRESSIONS | FUNCTIONS | BEGIN_STATEMENTS | OTHERS
"""All of them. No unit may have such a name: a number precedes it, as it may precede these words."""
