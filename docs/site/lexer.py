"""Colours of the rules language in blocks of code, by the words of the language itself."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

from rulespec.syntax.keywords import BEGIN_EXPRESSIONS, BEGIN_STATEMENTS, BETWEEN_EXPRESSIONS, FUNCTIONS, OTHERS


class RulesLexer(RegexLexer):  # type: ignore[misc]  # Pygments has no types
    """Pygments lexer of `.rules` files, expressions and types."""

    name = "Rulespec"
    aliases: ClassVar = ["rules", "expr", "type"]
    filenames: ClassVar = ["*.rules"]
    tokens: ClassVar = {
        "root": [
            (r"\s+", Whitespace),
            (r"#[^\n]*", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"\^ RS\d+", Generic.Error),
            (words(FUNCTIONS, suffix=r"\b(?=\()"), Name.Builtin),
            (words(("true", "false", "none", "some"), suffix=r"\b"), Keyword.Constant),
            (words(BEGIN_EXPRESSIONS | BEGIN_STATEMENTS | BETWEEN_EXPRESSIONS | OTHERS, suffix=r"\b"), Keyword),
            (r"[A-Za-z]\w*", Name),
            (r"\d+", Number),
            (r"->|\.\.|\?\?|[=!<>]=|[-+*/%|&<>=]", Operator),
            (r"[][(){},.:?]", Punctuation),
            (r".", Text),
        ]
    }
