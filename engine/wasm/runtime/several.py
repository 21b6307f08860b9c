"""Composite values of a parameter: sets and bags, enumerated in the order of `rulespec.language.several`, and paths.

A memory area holds the set or bag to choose from, in words, and the state of the enumeration. From `PILES` on, the area
has one pile per entity, with the entity's number, its count and the chosen count. A path is stored in the words of an
area: its stops in order, each as its number + 1 in a fixed number of bits.
"""

from rulespec.engine.wasm.runtime.intrinsics import load, lowest, store, trap
from rulespec.engine.wasm.runtime.program import MAX_SEVERAL, PILES

# The area: bits per entity, end of the piles, chosen and maximum size, number of sets or bags so far; the words.


def several_begin(area: int, bits: int, words: int, least: int, most: int) -> None:
    """Starts an enumeration of the selections from the set or bag in an area."""
    pile = area + PILES
    total = 0
    mask = (1 << bits) - 1
    word = 0
    while word < words:
        left = load(area + 40 + 8 * word)
        while left != 0:
            at = lowest(left) // bits
            number = left >> at * bits & mask
            store(pile, 64 // bits * word + at)
            store(pile + 8, number)
            store(pile + 16, 0)
            total = total + number
            pile = pile + 24
            left = left & ~(mask << at * bits)
        word = word + 1
    store(area, bits)
    store(area + 8, pile)
    store(area + 16, (least if least > 0 else 0) - 1)
    store(area + 24, most if most < total else total)
    store(area + 32, -1)


def several_filled(pile: int, end: int, size: int) -> None:
    """Chooses `size` pieces from the piles up to `end`, as many as possible from the first piles."""
    while pile < end:
        number = load(pile + 8)
        if number > size:
            number = size
        store(pile + 16, number)
        size = size - number
        pile = pile + 24


def several_moved(area: int) -> int:
    """Advances to the next selection of the same size; returns 0 if there is none."""
    end = load(area + 8)
    pile = end - 24
    after = 0
    room = 0
    while pile >= area + PILES:
        number = load(pile + 16)
        if number > 0 and room > after:
            store(pile + 16, number - 1)
            several_filled(pile + 24, end, after + 1)
            return 1
        after = after + number
        room = room + load(pile + 8)
        pile = pile - 24
    return 0


def several_next(area: int, words: int) -> int:
    """Writes the next set or bag into the words of an area; returns 0 if there is none."""
    count = load(area + 32)
    if count < 0 or several_moved(area) == 0:
        size = load(area + 16) + 1
        if size > load(area + 24):
            return 0
        store(area + 16, size)
        several_filled(area + PILES, load(area + 8), size)
    count = count + 1
    if count >= MAX_SEVERAL:
        trap()
    store(area + 32, count)
    word = 0
    while word < words:
        store(area + 40 + 8 * word, 0)
        word = word + 1
    bits = load(area)
    pile = area + PILES
    while pile < load(area + 8):
        number = load(pile + 16)
        if number > 0:
            at = load(pile) * bits
            place = area + 40 + 8 * (at >> 6)
            store(place, load(place) | number << (at & 63))
        pile = pile + 24
    return 1


def lot(number: int, member: int, size: int) -> int:
    """The word of a bag that contains `number` pieces of one entity, limited to 0 to 255."""
    if number > 255:
        number = 255
    if number < 0:
        number = 0
    return number << (member & 7) * 8


def lots(word: int) -> int:
    """The number of pieces in one word of a bag."""
    total = 0
    while word != 0:
        total = total + (word & 255)
        word = word >> 8
    return total


def lot_entities(word: int) -> int:
    """The set of the entities with pieces in one word of a bag, numbered from 0."""
    result = 0
    at = 0
    while word != 0:
        if word & 255:
            result = result | 1 << at
        word = word >> 8
        at = at + 1
    return result


def path_cut(area: int, number: int, bits: int, words: int) -> None:
    """Truncates the path in an area to `number` stops."""
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
    """Appends a stop to the path in an area, which has `number` stops."""
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
