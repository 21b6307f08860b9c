"""Mutations of drawings as XML: declarations, entities, depth, attributes, transformations."""

from __future__ import annotations

import random
import re

_ELEMENT = re.compile(rb"<[a-z][^<>]*>")
_ATTRIBUTE = re.compile(rb'([\w:]+)="([^"]*)"')
_HEADS = (
    b'<!DOCTYPE svg [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>',
    b'<!DOCTYPE svg SYSTEM "file:///etc/passwd">',
    b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    b'<!DOCTYPE svg [<!ENTITY % p SYSTEM "http://localhost/x"> %p;]>',
    b'<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]>',
    b'<!DOCTYPE svg [<!ATTLIST rect id CDATA "oak" width CDATA "9">]>',
    b'<?xml version="1.0" encoding="utf-16"?>',
    b'<?xml version="1.0" encoding="utf-7"?>',
    b'<?xml version="1.0" encoding="rot13"?>',
    b'<?xml version="1.1"?>',
    b"\xff\xfe",
    b"<!--" + b"-" * 1_000,
    b"<?x " + b"y" * 100_000 + b"?>",
)
_COUNTS = (2, 30, 70, 1_000, 20_000)
_VALUES = (
    *(
        b"",
        b"&c;",
        b"&x;",
        b"1e999",
        b"-1e-999",
        b"NaN",
        b"inf",
        b"9" * 400,
        b"a" * 100_000,
        b"\xff",
        b"&#0;",
        b"&#xD800;",
    ),
    *(
        b"rotate(1e308)",
        b"matrix(0 0 0 0 0 0)",
        b"matrix(1e200 1e200 1e200 1e200 0 0)",
        b"scale(0)",
        b"translate(" * 500,
    ),
    *(b"M0 0" + b"A1 1 0 0 1 9 9" * 3_000, b"M0,0" + b"c1e300,0 0,1e300 1,1" * 200, b"M0 0z" * 9_000, b"m" * 5_000),
    *(b"0,0 " * 30_000, b"1 " * 9_999, b"url(#a)", b"javascript:x", b"#12345678", b"0 0 1e9 1e-9", b"-5 -5 0 0"),
)


def mutated_svg(data: bytes, rng: random.Random) -> bytes:
    """The drawing with one mutation."""
    elements = list(_ELEMENT.finditer(data))
    values = list(_ATTRIBUTE.finditer(data))
    if not elements or not values:
        return rng.choice(_HEADS) + data
    at, value = rng.choice(elements), rng.choice(values)
    match rng.randrange(8):
        case 0:
            head = rng.choice(_HEADS)
            return head + b"\n" + data.partition(b"?>\n")[2] if data.startswith(b"<?xml") else head + b"\n" + data
        case 1:
            count = rng.choice(_COUNTS)
            name = rng.choice((b"g", b'g id="x"', b"svg", b'g transform="scale(1.1)"', b"text", b"defs", b"tspan"))
            closed = name.split()[0]
            inner = b"<%s>" % name * count + at.group() + b"</%s>" % closed * rng.choice((count, count, 0))
            return data[: at.start()] + inner + data[at.end() :]
        case 2:
            return data[: at.start()] + at.group() * rng.choice(_COUNTS) + data[at.end() :]
        case 3:
            more = b" ".join(b'a%d="%d"' % (n, n) for n in range(rng.choice(_COUNTS)))
            return data[: at.end()].rstrip(b"/>") + b" " + more + b"/>" + data[at.end() :]
        case 4:
            other = rng.choice(values)
            return data[: value.start(2)] + other.group(2) + data[value.end(2) :]
        case 5:
            text = rng.choice((b"&c;", b"&a;" * 9_000, b"<![CDATA[" + b"x" * 9_000, b"\0", b"]]>"))
            return data[: at.end()] + text + data[at.end() :]
        case _:
            return data[: value.start(2)] + rng.choice(_VALUES) + data[value.end(2) :]
