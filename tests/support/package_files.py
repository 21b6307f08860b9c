"""The modules of the package, in the folders of a checkout."""

from __future__ import annotations

from pathlib import Path

from folders import ROOT

FOLDERS = ("rulespec", "engine", "drawing", "cli", "lsp", "pages", "serve", "guests")
"""The folders of the package's modules."""


def modules(folder: str) -> list[Path]:
    return sorted(p for p in (ROOT / folder).rglob("*.py") if "__pycache__" not in p.parts)


def package() -> dict[str, Path]:
    """The modules of the installed package, by name below `rulespec`; some of its folders are links."""
    files = {p: p.relative_to(ROOT / "rulespec") for p in modules("rulespec")}
    files |= {p: p.relative_to(ROOT) for folder in FOLDERS[1:] for p in modules(folder)}
    return {".".join(rel.with_suffix("").parts): path for path, rel in files.items()}
