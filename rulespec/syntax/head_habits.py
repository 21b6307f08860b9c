"""Syntax habits from other languages in the heads of rules and the text after them; see `habits.py`."""

from __future__ import annotations

_HEAD = r"^head: (?:replace |wrap |hook )?"

CHANGES = (
    (
        _HEAD + r"extend decision (\w+) ?: ?¦(?:require|let|cost|needs)\b",
        r"add the condition to one of its options: `change option NAME of \1: require …`",
    ),
    (
        r"^head: (?:replace|wrap|remove|extend) ¦option (\w+)",
        r"edit it with `change option \1 of DECISION:`, and `require …`, `remove …` or `replace … with …` below",
    ),
    (
        r"^head: ¦?(?:restrict|relax|limit|forbid|allow|modify|amend|edit|alter|patch|narrow|tighten|loosen)\b",
        "write `change option NAME of DECISION:`, and `require …`, `remove …` or `replace … with …` below",
    ),
    (r"is some as \w+ ¦(?:and|or)\b", "test the rest in an inner `if`: only a whole condition can name a value"),
    (r"^head: change ¦decision (\w+)", r"name one of its options: `change option NAME of \1:`"),
    (r"^head: change ¦(\w+)\.(\w+)", r"write `change option \2 of \1:`"),
    (r"^head: change option (\w+) ?¦:", r"name its decision: `change option \1 of DECISION:`"),
    (
        r"^(?:change: |head: change .*: )(?:before|after|remove|replace) ¦?(?:match|if|for|repeat|decide|draft|turns) ",
        "select a simple statement or an expression in it, or replace the whole item: `replace procedure …`",
    ),
    (r"^(?:change: |head: change .*: )replace .*¦(?::|by\b|to\b|->)", "write `replace … with …`"),
    (
        r"^(?:change: |head: change .*: )¦(?:set|pay|move|if|for|leave|pass|add|insert|put|end)\b",
        "insert a statement beside another one: `before S: …` or `after S: …`",
    ),
)
"""Habits in edits of overlays."""

HEADS = (
    (_HEAD + r"def\b.*¦(?:=|:(?!=))", "declare the type of the value: `def name(…) -> int:`"),
    (
        _HEAD + r"(?:def|procedure|guard) \w+ ?¦(?!\()",
        "write brackets after the name, even without parameters: `name()`",
    ),
    (_HEAD + r"(?:def|procedure) \w+\(.*¦=", "remove the default: every call gives all arguments"),
    (_HEAD + r"(?:def|procedure) \w+\([^)]*¦[^({]*[,)]", "write the type of each parameter: `name: type`"),
    (_HEAD + r"def\b.*->.*\b(?:list|List) ?¦", "write `set kind`: there are no lists"),
    (_HEAD + r"def\b.*->.*\w+ ?¦(?:or|\||\[)", "write `kind?` for a value that may be none, `set kind` for a set"),
    (_HEAD + r"(?:def|procedure)\b.*(?:->|:) ?(?:set ?¦|¦\[)", "write a set as `set kind`"),
    (
        _HEAD + r"(?:def|guard)\b.*\bat most \d+ ¦deep\b|^head: (?:def|guard)\b.*¦(?:at most \d+ )?deep\b",
        "write `procedure name(…) -> int at most n deep:`: a definition or a guard cannot call itself",
    ),
    (_HEAD + r"procedure\b.*\bat most \d+ ?¦:", "add `deep`: `at most 12 deep` for a recursive procedure"),
    (_HEAD + r"procedure\b.*\bat most ¦\w+", "write the depth as a number: `at most 12 deep`"),
    (_HEAD + r"procedure\b.*\bdeep ¦->", "write the type first: `procedure name(…) -> int at most 12 deep:`"),
    (
        _HEAD + r"procedure\b.*\)(?: -> \w+)? ¦(?:deep|depth|max|maximum|up|limit|most|recursive)\b",
        "declare the depth of a recursive procedure: `procedure name(…) at most 12 deep:`",
    ),
    (
        r"^head: ¦?(?:recursive|rec)\b",
        "declare the depth of a recursive procedure: `procedure name(…) at most 12 deep:`",
    ),
    (
        _HEAD + r"extend ¦",
        "extend a decision with `extend decision name:`, or wrap a procedure with `wrap procedure …`",
    ),
    (
        r"^head: ¦?(?:define|function|func|fn|sub|proc|rule|action|method|override|overrides)\b",
        "write `procedure name(…):` to change the game, `def name(…) -> int:` to compute a value",
    ),
    (
        r"^head: ¦?(?:import\b|use\b|using\b|(?:include|require) ?\(?[\"\w]+[./\"])",
        "remove it: all files of `rules/` are read together",
    ),
    (
        r"^head: ¦?(?:class|enum|kind|type|struct|state|var|let|const|constant|global)\b|^head: ¦\w+ ?(?:=|:=)",
        "declare kinds and state in kinds.yaml, constants in tables.yaml",
    ),
    (
        r"^head: ¦(?:option|include|require|decide|chance|set|pay|move|if|for|match|repeat|end|leave|return|pass)\b",
        "move statements and decisions into the indented body of a procedure",
    ),
    (
        r"^guard: ¦?(?:set|pay|move|end|decide|chance|if|for|match|repeat|leave|return|pass|\w+ ?\()",
        "move effects into the body of an option: a guard may contain only `let`, `require`, `cost` and `needs`",
    ),
    (r"^(?:procedure|options|def): ¦?(?:def|procedure) ", "start definitions and procedures at the left margin"),
)
"""Habits in the heads of rules, and in lines at the left margin."""

ONE_EXPRESSION = (
    (r"^def: ¦?(?:el)?if\b", "write `a if c else b`: a definition is a single expression"),
    (r"^def: ¦?else\b", "write `a if c else b`: a definition is a single expression"),
    (r"^def: ¦?return\b", "remove `return`: a definition is a single expression"),
    (
        r"^def: (?:case .*|else): ?(?:return|set|pay|move|leave|pass|let) ?¦",
        "write only a value after the `:` of a case",
    ),
    (r"\bmatch ¦.*: ?case\b", "put each `case` of a `match` on a separate, indented line"),
    (r"^def: ¦?switch\b", "write `match`"),
    (r"^(?:def|guard): let \w+ ?¦\[", "move the table into a procedure: a definition takes values, or builds a set"),
    (
        r"\blet \w+\[.*¦where\b",
        "remove `where`, and test where the table is read: it has a value for each member of a whole kind",
    ),
    (r"\blet (\w+)\[\w+ in \w+ ?¦,", r"declare a product of kinds, and write `\1[x in PRODUCT]`: a table has one key"),
    (r"\blet (\w+)\[(\w+) ?¦\]", r"name the member as well: `let \1[x in \2] = …`"),
    (
        r"^def: ¦?(?:for|foreach|while|repeat)\b",
        "write `sum(e for x in s)`, `count(x in s where c)`, `any`, `all`, `max`, …: a definition has no loops",
    ),
    (
        r"^def: ¦?(?:set|pay|move|end|decide|chance|require|leave|pass)\b",
        "use a `procedure`: a definition cannot change state or offer a decision",
    ),
    (
        r"^def: ¦(?!default\b|otherwise\b)[\w({-]",
        "write a single expression after the lines of `let`; put it in brackets if it spans several lines",
    ),
    (r"^invariant: ¦?require\b", "remove `require`: an invariant is a single condition"),
    (r"^invariant: ¦?if\b", "write `b if a else true`: an invariant is a single condition"),
    (
        r"^scoring: (?:score )?¦?for\b|^head: scoring ?(?:\w+ ?)?¦",
        "name the player in the head: `scoring p in player:`",
    ),
    (_HEAD + r"invariant \w+ ?¦\(", "write `all(x in s: c)` to test every member: an invariant has no parameters"),
    (
        r"^invariant: ¦[\w({-]",
        "join conditions with `and`, in brackets if they span several lines: an invariant is a single condition",
    ),
    (_HEAD + r"invariant \w+: ?¦[\w(]", "write the condition on the next line, indented"),
)
"""Habits in the bodies of definitions, invariants and the scoring."""
