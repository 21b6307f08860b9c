"""Names of people that programs have stumbled over: each may be written wherever a name can."""

from __future__ import annotations

NAMES = [
    "Ann (host)",
    "Smith, John",
    "  Ann  ",
    "Ann\nBob",
    "A:B",
    "\U0001f98a\U0001f468\u200d\U0001f469\u200d\U0001f467",  # emoji, a family of three joined
    "\u202eAnn",  # shown from right to left
    "Ann\u2066 (won)",
    "Zoe\u0308",  # combining letters, with a composed form
    "\u0301Ann",  # a mark that would be put onto what stands before it
    "",
    "   ",
    "\u200b",
    "x" * 300,
    "all",
    "none",
    "public",
    "table",
    "chance",
    "B",  # what another seat is called
    "Ann\x1b[31m",
    "<b>Ann</b>",
    '"Ann"',
    "Ann\\n",
    "?",
    "A, B",
    "::error::Ann",
    "##[error]Ann",
]
