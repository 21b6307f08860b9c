"""Parameter types for logs: a file, or a sample log such as `imperial:quickstart`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class LogPath(click.ParamType[Path]):
    """The type of an existing log."""

    name = "log"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path of the file or the sample log."""
        return Path(with_samples(str(value)))


class RefOrLog(click.ParamType[str]):
    """The type of a reference to a ruleset, or an existing log."""

    name = "reference"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The reference, or the path of the file or the sample log."""
        return with_samples(str(value))


def with_samples(text: str) -> str:
    """The path of the sample log named by a text; any other text unchanged.

    Raises:
        DiagnosticsError: as for `sample`.
    """
    if ":" not in text:
        return text
    from rulespec.engine.logs.samples import sample

    path = sample(text)
    return text if path is None else str(path)
