"""Names of people that have caused bugs in programs, for use wherever a name is allowed."""

from __future__ import annotations

NAMES = [
    "Ann (host)",
    "Smith, John",
    "  Ann  ",
    "Ann\nBob",
    "A:B",
    "\U0001f98a\U0001f468\u200d\U0001f469\u200d\U0001f467",  # emoji: a family of three, joined
    "\u202eAnn",  # displayed from right to left
    "Ann\u2066 (won)",
    "Zoe\u0308",  # combining characters with a composed form
    "\u0301Ann",  # a combining mark that would attach to the preceding character
    "",
    "   ",
    "\u200b",
    "x" * 300,
    "all",
    "none",
    "public",
    "table",
    "chance",
    "B",  # the default name of another seat
    "Ann\x1b[31m",
    "<b>Ann</b>",
    '"Ann"',
    "Ann\\n",
    "?",
    "A, B",
    "::error::Ann",
    "##[error]Ann",
]
