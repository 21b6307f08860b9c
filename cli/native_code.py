"""What a command says when there can be no native code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import click

from rulespec.engine.game.machines import Backend


@contextmanager
def told() -> Iterator[None]:
    """Says in a line why there is none."""
    from rulespec.engine.native.compiler import NotNativeError  # lazily: most runs need none
    from rulespec.engine.native.engine import NoWasmtimeError

    try:
        yield
    except NoWasmtimeError as error:
        raise click.ClickException(str(error)) from None
    except NotNativeError as error:
        raise click.ClickException(f"there is no native code for these rules: {error}") from None


def told_for(backend: Backend) -> AbstractContextManager[None]:
    """Says in a line why there is none, where it has been asked for."""
    return told() if backend == "native" else nullcontext()
