"""The fixed functions for random numbers by seed: SplitMix64 as `engine.program.draws` does it; see `runtime`.

`KEY` is the key of the game that is played, `PLY` the number of the decision.
"""

RANDOM = """
def mixed(z) -> int:
    z = (z ^ z >> 30) * 13787848793156543929
    z = (z ^ z >> 27) * 10723151780598845931
    return z ^ z >> 31

def word(key, at) -> int:
    return mixed(key + (at + 1) * 11400714819323198485)

def seed(seed, game):
    store(KEY, word(word(seed, 0), game))

def high(a, b) -> int:
    low = (a & 4294967295) * (b & 4294967295)
    one = (a & 4294967295) * (b >> 32)
    other = (a >> 32) * (b & 4294967295)
    middle = (low >> 32) + (one & 4294967295) + (other & 4294967295)
    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32) + (middle >> 32)

def drawn(at, bound) -> int:
    if bound < 2:
        return 0
    found = word(load(KEY), at)
    low = found * bound
    if below(low, bound):
        least = (0 - bound) % bound
        while below(low, least):
            found = word(found, 0)
            low = found * bound
    return high(found, bound)
"""
