"""Imports of a command's optional dependencies, with a message for missing ones."""

from __future__ import annotations

from importlib import import_module

import click


def need_server(*modules: str) -> None:
    """Imports modules of the server.

    Raises:
        click.ClickException: if the extra is not installed.
    """
    try:
        for each in modules:
            import_module(each)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"starlette", "uvicorn", "websockets"}:
            raise
        raise click.ClickException('the server needs its extra: pip install "rulespec[serve]"') from None
