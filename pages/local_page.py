"""The page that plays without a server: rules as WebAssembly, board and drawing plan in one HTML file."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from collections.abc import Mapping
from html import escape

from rjsmin import jsmin

from rulespec.drawing.board import board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.engine.game.game import Game
from rulespec.engine.game.wasm_export import exported
from rulespec.engine.words.exported_texts import exported_texts
from rulespec.engine.words.helps import helps
from rulespec.engine.words.program_words import ENGLISH, program_words
from rulespec.engine.words.words import Words
from rulespec.pages.document import Rights, document, own_file, script_json
from rulespec.pages.other_values import OtherValues

_STYLES = ("viewer.css", "table.css", "local.css")
_SCRIPTS = (
    "wasm_game.js",
    "bots.js",
    "draw.js",
    "zoom.js",
    "choose.js",
    "number_field.js",
    "grid.js",
    "pictures.js",
    "panels.js",
    "ways.js",
    "news.js",
    "undo.js",
    "own_lines.js",
    "helps.js",
    "notices.js",
    "preview.js",
    "typed.js",
    "table.js",
    "kept_lines.js",
    "local_preview.js",
    "local.js",
)
_WORKER = ("wasm_game.js", "bots.js")
_LOOSE = re.compile(r"(?<=[{};,>])\s+")
"""Insignificant blanks of style sheets."""
_WORDS = (
    *("and_more", "chance", "nobody", "none", "out_of_turn", "won_by", "decisions", "secret", "yes", "no"),
    *("page_board", "page_moves", "page_closer", "page_farther", "page_whole"),
    "variation",
)
"""Words in addition to those of tables."""


def local_page(game: Game, language: str | None = None) -> str:
    """A page for playing a ruleset with a given number of seats and given settings.

    Args:
        game: a game at the table, in any position.
        language: the language of the words; None for the ruleset's language.

    Raises:
        NoWasmtimeError: if wasmtime is not installed.
        NoWasmError: if wasm cannot run the program.
        DiagnosticsError: if the board cannot be drawn.
    """
    words = Words(game.ruleset, language)
    board = board_of(game.ruleset, game.seats, words, apart=True)
    module = exported(game, lambda asides: exported_texts(game, words, asides))
    settings: Mapping[str, str] = game.settings
    rules_at_hand = {name: help_.to_json() for name, help_ in helps(words, game).items()}
    large = {
        "plan": plan(board),
        "board": board.backdrop(),
        "helps": rules_at_hand,
        "values": OtherValues(board, game, words).to_json(),
        "words": _page_words(words),
        "styles": [_LOOSE.sub("", own_file(name)) for name in _STYLES],
    }
    data = {
        "module": _packed(module),
        "large": _packed(script_json(large).encode()),
        "version": game.ruleset.version,
        "changed": [name for name, of in game.ruleset.settings.items() if settings[name] != of.default],
        "worker": [1 + _SCRIPTS.index(name) for name in _WORKER],  # the page's first script element is its data
    }
    body = own_file("table.html").partition('<main id="owner"')[0] + own_file("local.html")
    return document(
        words.game,
        language=words.language,
        styles=(),
        body=body.replace("Rulespec", escape(words.game)),
        data=data,
        scripts=[_script(name) for name in _SCRIPTS],
        rights=Rights(computes=True),
    )


def _packed(data: bytes) -> str:
    return b64encode(gzip.compress(data, mtime=0)).decode()


def _script(name: str) -> str:
    """A script without comments or indentation, to keep a page small enough for mail."""
    text: str = jsmin(own_file(name).replace("export class", "class"))
    return text


def _page_words(words: Words) -> dict[str, str]:
    """The program's words on the page, with holes for the page to fill."""
    known = program_words(ENGLISH)
    names = [name for name in known if name.startswith(("table_", "local_"))]
    holes = {name: {hole: f"{{{hole}}}" for hole in known[name].holes()} for name in (*names, *_WORDS)}
    return {name: words.word(name, **of) for name, of in holes.items()}
