"""Random numbers by seed: SplitMix64, as in `rulespec.engine.program.draws`."""

from rulespec.engine.wasm.runtime.intrinsics import below, exported, load, store
from rulespec.engine.wasm.runtime.registers import KEY


def mixed(z: int) -> int:
    """The finalizer of SplitMix64."""
    z = (z ^ z >> 30) * 13787848793156543929
    z = (z ^ z >> 27) * 10723151780598845931
    return z ^ z >> 31


@exported
def word(key: int, at: int) -> int:
    """The output of SplitMix64 at index `at`, for a given key."""
    return mixed(key + (at + 1) * 11400714819323198485)


@exported
def seed(seed: int, game: int) -> None:
    """Sets the key for the game with this number under a seed."""
    store(KEY, word(word(seed, 0), game))


def high(a: int, b: int) -> int:
    """The upper 64 bits of an unsigned product."""
    low = (a & 4294967295) * (b & 4294967295)
    one = (a & 4294967295) * (b >> 32)
    other = (a >> 32) * (b & 4294967295)
    middle = (low >> 32) + (one & 4294967295) + (other & 4294967295)
    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32) + (middle >> 32)


@exported
def drawn(at: int, bound: int) -> int:
    """A random number below a bound, drawn from word `at` of the game; 0 if the bound is 1."""
    if bound < 2:
        return 0
    bits = word(load(KEY), at)
    low = bits * bound
    if below(low, bound):
        least = (0 - bound) % bound
        while below(low, least):
            bits = word(bits, 0)
            low = bits * bound
    return high(bits, bound)
