"""The values of `--backend`."""

from __future__ import annotations

from typing import Any

import click

from rulespec.documents.carried_over import BACKENDS


class BackendChoice(click.Choice[str]):
    """One of the backends; an old name is wrong usage that names the new one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name of the backend."""
        if (new := BACKENDS.get(value)) is not None:
            self.fail(f"{value} is called {new} now: write --backend {new}", param, ctx)
        return super().convert(value, param, ctx)
