"""Arguments from users' programs, validated when they are passed in."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

_SHOWN = 60
"""The maximum number of characters of an invalid value in a message."""
MOST = 2**31 - 1
"""The maximum number of decisions, games and rounds."""


def whole(name: str, value: object, least: int | None = None, most: int = MOST) -> int:
    """An `int` from an `int` or a numpy integer.

    Args:
        name: the name of the argument.
        value: the value.
        least: the lower bound; None if the value is unbounded.
        most: the upper bound, used only if there is a lower bound.

    Raises:
        TypeError: if it is not a whole number.
        ValueError: if it is out of bounds.
    """
    try:
        number = index(value)  # type: ignore[arg-type]  # which is what is found out
    except TypeError:
        raise wrong_type(name, "a whole number", value) from None
    if least is not None and not least <= number <= most:
        shown = f"{number:,}" if abs(number) < 10**30 else "a number of more than 30 digits"
        bounds = f"at least {least:,}" if number < least else f"at most {most:,}"
        raise ValueError(f"`{name}` must be {bounds}, not {shown}")
    return number


def wholes(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """An array of whole numbers.

    Raises:
        TypeError: if any value is not a whole number.
    """
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "iu":
        raise wrong_type(name, "whole numbers", values)
    return np.ascontiguousarray(array, np.int64)


def text(name: str, value: object) -> str:
    """A string that other programs can read.

    Raises:
        TypeError: if it is not a string.
        ValueError: if it contains lone surrogates.
    """
    if not isinstance(value, str):
        raise wrong_type(name, "a text", value)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(f"`{name}` has half a character (a lone surrogate): {value[:_SHOWN]!a}")
    return value


def mapping(name: str, value: object) -> None:
    """Checks that a value is a mapping, or None.

    Raises:
        TypeError: if it is anything else.
    """
    if value is not None and not isinstance(value, Mapping):
        raise wrong_type(name, "a mapping of names to values", value)


def rendered(mode: object) -> str | None:
    """The render mode of an environment: `ansi`, or None.

    Raises:
        ValueError: if it is any other value.
    """
    if mode not in (None, "ansi"):
        raise ValueError(f"there is no render mode {str(mode)[:_SHOWN]!a}: choose `ansi` or None")
    return None if mode is None else "ansi"


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    """The error for an argument of the wrong type."""
    shown = ascii(value) if isinstance(value, str | bytes | float | None) else f"of type {type(value).__name__}"
    return TypeError(f"`{name}` must be {wanted}, not {shown[:_SHOWN]}")
