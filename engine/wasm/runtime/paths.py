"""Paths: stops in order, each as its number + 1 in a fixed number of bits, in the words of a memory area."""

from rulespec.engine.wasm.runtime.intrinsics import load, store


def path_cut(area: int, number: int, bits: int, words: int) -> None:
    """Truncates the path in an area to a number of stops."""
    at = number * bits
    word = at >> 6
    if word < words:
        place = area + 8 * word
        store(place, load(place) & (1 << (at & 63)) - 1)
        word = word + 1
    while word < words:
        store(area + 8 * word, 0)
        word = word + 1


def path_put(area: int, number: int, member: int, bits: int) -> None:
    """Appends a stop to a path with a number of stops."""
    at = number * bits
    place = area + 8 * (at >> 6)
    store(place, load(place) | member + 1 << (at & 63))


def stops_in(word: int, bits: int) -> int:
    """The number of stops in one word of a path."""
    number = 0
    while word != 0:
        number = number + 1
        word = word >> bits
    return number


def first_numbers(number: int) -> int:
    """The set of the first `number` indices."""
    if number > 63:
        return -1
    return (1 << number) - 1
