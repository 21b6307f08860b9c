"""Digests of what seats see: logs of seats have them, so they stay the same."""

from __future__ import annotations

from rulespec.engine.game.visibility import Observation, digest


def test_a_digest_is_that_of_earlier_versions() -> None:
    value = (b"ab", [1, None, True, "x"], (2, (3,)), {"k": [1, 2]}, Observation(1, 2, b"c", b""))
    assert digest(value).hex() == "41698c4eac56d1fea1b84bb769917bf5"


def test_lists_and_records_are_as_tuples() -> None:
    assert digest([1, None, (2, 3)]) == digest((1, None, [2, 3]))
    assert digest([Observation(1, 2, b"", b"")]) == digest(((1, 2, b"", b""),))
    assert digest([1, 2]) != digest([1, "2"])
