"""Build backend: setuptools plus the parser's tables; it also builds where links in `rulespec/` are plain files.

Each build writes the tables beside the grammar; git ignores them.
Git without `core.symlinks`, and unzip programs without support for links, write each link as a text file with its
target. Such a checkout is built from a copy with folders in place of the links; a checkout with links is built in
place.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

from setuptools import build_meta

Settings = Mapping[str, Any] | None

NO_EDITABLE = (
    "This checkout has plain files in rulespec/ where git has links, and an editable install needs the links: "
    "install it without --editable, or clone it with `git clone -c core.symlinks=true` (on Windows, in Developer Mode)."
)


def build_wheel(wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None) -> str:
    """Builds the wheel; as in PEP 517, like the hooks below."""
    target, metadata = _absolute(wheel_directory), metadata_directory and _absolute(metadata_directory)
    with complete_sources():
        write_tables()
        return build_meta.build_wheel(target, config_settings, metadata)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Builds the source archive."""
    target = _absolute(sdist_directory)
    with complete_sources():
        write_tables()
        return build_meta.build_sdist(target, config_settings)


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings = None) -> str:
    """Writes the metadata of the wheel."""
    target = _absolute(metadata_directory)
    with complete_sources():
        return build_meta.prepare_metadata_for_build_wheel(target, config_settings)


def get_requires_for_build_editable(config_settings: Settings = None) -> list[str]:
    """The requirements of an editable install, which is refused without links."""
    _require_links()
    return build_meta.get_requires_for_build_editable(config_settings)


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Settings = None) -> str:
    """Writes the metadata of an editable install."""
    return build_meta.prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_editable(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel of an editable install."""
    _require_links()
    write_tables()
    return build_meta.build_editable(wheel_directory, config_settings, metadata_directory)


@contextmanager
def complete_sources() -> Iterator[None]:
    """Enters a folder with all packages for its body: the current one, or a temporary copy if links are missing."""
    root = Path.cwd()
    targets = plain_links(root)
    if not targets:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="rulespec-build-") as name:
        _copy(root, targets, Path(name))
        with chdir(name):
            yield


def write_tables() -> None:
    """Writes the parser's tables into the sources in the current folder."""
    subprocess.run([sys.executable, "-m", "rulespec.syntax.parse_table"], check=True)


def plain_links(root: Path) -> dict[Path, Path]:
    """The text files in place of links in `rulespec/`, with their target folders; paths are relative to `root`."""
    package = root / "rulespec"
    files = [path for path in package.iterdir() if not path.suffix and path.is_file()]
    targets = {path: package / path.read_text("utf-8").strip() for path in files}
    return {path.relative_to(root): target.resolve() for path, target in targets.items() if target.is_dir()}


def _copy(root: Path, targets: dict[Path, Path], folder: Path) -> None:
    """Copies the inputs of a build: top-level files, this package, `rulespec/`, and the targets of its links."""
    compiled = shutil.ignore_patterns("__pycache__")
    for path in root.iterdir():
        if path.is_file():
            shutil.copy2(path, folder)
    for name in ("release", "rulespec"):
        shutil.copytree(root / name, folder / name, ignore=compiled)
    for link, target in targets.items():
        (folder / link).unlink()
        shutil.copytree(target, folder / link, ignore=compiled)


def _require_links() -> None:
    if plain_links(Path.cwd()):
        raise SystemExit(NO_EDITABLE)


def _absolute(path: str) -> str:
    return str(Path(path).absolute())
