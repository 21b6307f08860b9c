"""What a command says when there can be no native code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from rulespec.engine.native.compiler import NotNativeError
from rulespec.engine.native.engine import NoWasmtimeError


@contextmanager
def told() -> Iterator[None]:
    """Says in a line why there is none."""
    try:
        yield
    except NoWasmtimeError as error:
        raise click.ClickException(str(error)) from None
    except NotNativeError as error:
        raise click.ClickException(f"there is no native code for these rules: {error}") from None
