"""The fixed functions for bots: values of positions, playouts that are cut off, options as codes; see `runtime_search`.

`worth(to, which)` is written for each program (`rulespec.engine.wasm.roots.value_source`).
"""

VALUES = """
def valued(count, which):
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        worth(load(OUT) + 8 * SEATS * number, which)
        store(GAME, number + 1)

def judged(count, cap, which, times, skip):
    while load(GAME) < count:
        number = load(GAME)
        row = RESULTS + RESULT * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * ((skip + number) // times))
            seed(load(SEED), load(FIRST) + load(EACH) * number)
            if load(TRAIL) != 0:
                store(HASH, whole_hash())
        status = play(cap, 0)
        store(PAUSED, status == 4)
        if status == 4:
            return
        store(row, status)
        store(row + 8, load(PLY))
        store(row + 16, load(STATE + 8))
        store(row + 24, load(STATE + 16))
        ranks(row + 32)
        if status != 0:
            worth(row + RESULT - 8 * SEATS, which)
        store(GAME, number + 1)

def coded(count, out_of_turn):
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        found = listed(out_of_turn)
        by = -1
        if found > 0:
            by = decider()
        k = load(NEXT)
        while k < found:
            to = load(OUT)
            if to + STRIDE + 8 > load(OUT_END):
                return
            one = OPTIONS_BASE + STRIDE * k
            option = load(one)
            size = 16 + 8 * load(TAKES + STRIDE * option + 8)
            store(to, number)
            store(to + 8, load(SAMES + 8 * option))
            store(to + 16, load(one + 8) if load(one + 8) >= 0 else by)
            at = 16
            while at < STRIDE:
                store(to + 8 + at, load(one + at) if at < size else 0)
                at = at + 8
            store(OUT, to + STRIDE + 8)
            k = k + 1
            store(NEXT, k)
        store(NEXT, 0)
        store(GAME, number + 1)
"""

OF_VALUES = frozenset({"valued", "judged", "coded"})
"""The functions that the host calls."""
