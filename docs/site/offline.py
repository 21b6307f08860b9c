"""Check of a built site: no page and no style sheet loads anything from elsewhere.

    python docs/site/offline.py build/site

Links that readers follow may lead out.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

_LOADS = {"src", "srcset", "data", "poster", "action"}
_ELSEWHERE = re.compile(r"(?:https?:)?//")
_IN_CSS = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")


class _Resources(HTMLParser):
    """Addresses that a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes the addresses that a tag loads; `href` loads in all tags but `a`."""
        for name, value in attrs:
            loads = name in _LOADS or (name in ("href", "xlink:href") and tag != "a")
            if loads and value and _ELSEWHERE.match(value.strip()):
                self.addresses.append(value)
            elif name == "style" and value:
                self.addresses += _IN_CSS.findall(value)

    def handle_data(self, data: str) -> None:
        """Notes the addresses that a style sheet within a page loads."""
        if self.lasttag == "style":
            self.addresses += _IN_CSS.findall(data)


def loaded_from_elsewhere(folder: Path) -> list[str]:
    """A line for each address that a file of a site loads from elsewhere."""
    results = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".svg"):
            parser = _Resources()
            parser.feed(path.read_text("utf-8"))
            addresses = parser.addresses
        elif path.suffix == ".css":
            addresses = _IN_CSS.findall(path.read_text("utf-8"))
        else:
            continue
        results += [f"{path.relative_to(folder)}: loads {address}" for address in addresses]
    return results


if __name__ == "__main__":
    if lines := loaded_from_elsewhere(Path(sys.argv[1])):
        sys.exit("\n".join(lines))
