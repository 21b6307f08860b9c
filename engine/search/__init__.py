"""Search: many positions at once, as arrays of numbers, for bots and learning."""

from importlib.util import find_spec

from rulespec.errors import RulespecError

if find_spec("numpy") is None:  # it comes with an extra
    raise RulespecError("search needs numpy: pip install 'rulespec[wasm]'")
