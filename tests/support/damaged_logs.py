"""Damaged foreign logs."""

from __future__ import annotations

import json
import random
from typing import Any


def damaged(text: str, rng: random.Random) -> str:
    """A log with random values in some fields."""
    entries = json.loads(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(1, len(entries))
        place: Any = entries[at].get("payload")
        while isinstance(place, dict) and place:
            key = rng.choice(list(place))
            if isinstance(place[key], dict | list) and rng.random() < 0.8:
                place = place[key]
                continue
            if isinstance(place[key], list):
                break
            place[key] = rng.choice(
                [None, True, False, 0, 1, 3, 2.0, 2.5, "", "1", "vienna", "AH", "army", [], {}, {"value": "IT"}, 10**30]
            )
            if rng.random() < 0.3:
                del place[key]
            break
        if rng.random() < 0.2:
            entries[at]["payload"] = rng.choice([None, [], "text", 7, {}])
    return json.dumps(entries)
