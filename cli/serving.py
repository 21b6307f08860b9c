"""Servers that a command starts: parameter types for addresses, and a check for the optional packages."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any
from urllib.parse import SplitResult, urlsplit

import click

_PLAIN = re.compile(r"[!-~]{1,2000}")
_HOST = re.compile(r"[\w.-]+|[\da-f:.]*:[\da-f:.]*", re.ASCII | re.IGNORECASE)


class HostType(click.ParamType[str]):
    """The parameter type of an address of this machine, given as a number or a name."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The address; only an attempt to listen on it shows whether it belongs to this machine."""
        text = str(value)
        if not _PLAIN.fullmatch(text):
            self.fail(
                f"`{text[:80]}` is not an address such as 127.0.0.1; 0.0.0.0 means all addresses of this machine",
                param,
                ctx,
            )
        return text


class WebAddress(click.ParamType[str]):
    """The parameter type of a web address that starts with http:// or https://; an empty text means no address.

    Args:
        example: an example for error messages.
        whole: whether a path and a query are allowed.
    """

    name = "url"

    def __init__(self, example: str, *, whole: bool) -> None:
        self._example = example
        self._whole = whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The address, unchanged."""
        text = str(value)
        if text and not self._is_address(text):
            ascii_ = _in_ascii(text)
            hint = f"; write its name as {ascii_}" if ascii_ else ""
            self.fail(f"`{text[:80]}` is not an address such as {self._example}{hint}", param, ctx)
        return text

    def _is_address(self, text: str) -> bool:
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError:
            return False
        if not _PLAIN.fullmatch(text) or parts.scheme not in ("http", "https") or not _HOST.fullmatch(host or ""):
            return False
        return "@" not in parts.netloc and not parts.fragment and (self._whole or _is_bare(parts))


def _is_bare(parts: SplitResult) -> bool:
    """Whether an address has nothing after its host and port."""
    return parts.path in ("", "/") and not parts.query


def _in_ascii(text: str) -> str:
    """The host of an address in ASCII form; empty if it is in ASCII already, or missing."""
    try:
        host = urlsplit(text).hostname or ""
        return "" if host.isascii() else host.encode("idna").decode()
    except ValueError:
        return ""


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
