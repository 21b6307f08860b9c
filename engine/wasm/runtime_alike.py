"""The fixed functions for tokens that are alike; see `runtime`, and `rulespec.engine.program.alike` for what they mean.

`kind` is the address of what is known of a kind of tokens, which `alike` lays out.
"""

ALIKE = """
def alike_begin(kind):
    size = load(kind)
    number = load(kind + 8)
    fill(load(kind + 32), 0, 8 * size)
    store(TOLD, 0)
    token = 0
    while token < size:
        store(load(kind + 16) + 8 * token, token - token % number)
        token = token + 1

def alike_alone(kind, token):
    if token >= 0:
        store(load(kind + 32) + 8 * token, token + 1)

def alike_unseen(kind, token):
    if token == -1:
        store(TOLD, 1)
    alike_alone(kind, token)

def alike_named(kind, list):
    store(TOLD, load(TOLD) | load(list))
    left = load(list + 8)
    while left > 0:
        form = load(list + 16)
        at = load(list + 24)
        if form == 0:
            alike_alone(kind, load(at))
        if form == 1 or form == 2:
            alike_in_set(kind, at, form == 2)
        if form == 3:
            alike_in_order(kind, load(at))
        if form == 4:
            alike_in_wide_order(kind, at)
        list = list + 16
        left = left - 1

def alike_in_set(kind, at, wide):
    members = load(kind + 40)
    token = 0
    while token < load(kind):
        store(members + 8 * token, wide_in(token, at) if wide else load(at) >> token & 1)
        token = token + 1
    alike_split(kind, members, 1)

def alike_in_order(kind, order):
    bits = load(kind + 56)
    while order != 0:
        alike_alone(kind, (order & ((1 << bits) - 1)) - 1)
        order = order >> bits

def alike_in_wide_order(kind, order):
    bits = load(kind + 56)
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        alike_alone(kind, one - 1)
        at = at + bits
        one = wide_field(order, at, bits)

def alike_differ(a, b, words) -> int:
    while words > 0:
        if load(a) != load(b):
            return 1
        a = a + 8
        b = b + 8
        words = words - 1
    return 0

def alike_split(kind, values, words):
    firsts = load(kind + 16)
    found = load(kind + 24)
    token = 0
    while token < load(kind):
        first = load(firsts + 8 * token)
        other = first
        own = values + 8 * words * token
        while other < token:
            if load(firsts + 8 * other) == first:
                if alike_differ(values + 8 * words * other, own, words) == 0:
                    break
            other = other + 1
        charge(other - first)
        store(found + 8 * token, other)
        token = token + 1
    copy(firsts, found, 8 * load(kind))

def alike_end(kind, block):
    alike_named(kind, load(kind + 64))
    while block >= 0:
        list = load(load(kind + 48) + 8 * block)
        if list != 0:
            alike_named(kind, list)
        back = load(RETURNS + 8 * block)
        if back == 0:
            break
        usual = load(USUAL + 8 * block)
        block = load(back)
        if block == 0:
            block = usual
    fields = load(kind + 72)
    left = load(fields)
    while left > 0:
        alike_split(kind, load(fields + 8), load(fields + 16))
        fields = fields + 16
        left = left - 1
    alike_split(kind, load(kind + 32), 1)
    token = 0
    while load(TOLD) and token < load(kind):
        store(load(kind + 16) + 8 * token, token)
        token = token + 1
"""
