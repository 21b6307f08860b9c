"""Self-contained HTML documents: one file with its styles, scripts and data, which loads nothing else.

A content security policy in the page ensures that it loads nothing, and runs only the scripts with listed hashes.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from pathlib import Path

from msgspec import Struct

FOLDER = Path(__file__).parent
VIEWER_SCRIPTS = (
    "vendor/uplot/uPlot.iife.min.js",
    "grid.js",
    "positions.js",
    "charts.js",
    "zoom.js",
    "reasons.js",
    "variations.js",
    "viewer.js",
)
"""The scripts of a replay page, which a table page can open."""
COMPUTES = " 'wasm-unsafe-eval'; worker-src blob:"
"""The additional policy of a page that runs WebAssembly; nothing else may evaluate text."""

_JSON_ESCAPES = {"<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""The escapes for text that would end the data element, or a line of a script."""


class Rights(Struct, frozen=True):
    """The permissions of a document's scripts.

    Attributes:
        connects: whether they may communicate with the page's server.
        computes: whether they may run WebAssembly and workers.
        opens: the scripts of other documents that they open; those documents inherit this policy.
    """

    connects: bool = False
    computes: bool = False
    opens: tuple[str, ...] = ()


def document(
    title: str,
    *,
    language: str = "en",
    styles: Sequence[str],
    body: str,
    data: object,
    scripts: Sequence[str],
    rights: Rights | None = None,
) -> str:
    """An HTML document.

    Args:
        title: the title as plain text.
        language: the language of its texts, such as `de`.
        styles: our own style sheets.
        body: HTML with escaped texts.
        data: JSON data for the scripts, in the element `data`; its texts may contain anything.
        scripts: our own scripts, in execution order.
        rights: the permissions of the scripts; None if they only display the data.
    """
    rights = rights or Rights()
    hashes = (b64encode(sha256(script.encode()).digest()).decode() for script in [*scripts, *rights.opens])
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    policy = (
        f"default-src 'none'; script-src {allowed}{COMPUTES if rights.computes else ''}; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'" + ("; connect-src 'self'" if rights.connects else "")
    )
    parts = [
        "<!DOCTYPE html>",
        f'<html lang="{escape(language)}">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(title)}</title>",
        *(f"<style>\n{style}</style>" for style in styles),
        "</head>",
        "<body>",
        body,
        f'<script type="application/json" id="data">{script_json(data)}</script>',
        *(f"<script>{script}</script>" for script in scripts),
        "</body>",
        "</html>",
    ]
    return "\n".join(parts) + "\n"


def script_json(data: object) -> str:
    """Data as JSON that is safe inside a `script` element."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, written in _JSON_ESCAPES.items():
        text = text.replace(char, written)
    return text


def own_file(name: str) -> str:
    """The text of a file that is part of this package."""
    return (FOLDER / name).read_text("utf-8")
