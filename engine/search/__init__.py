"""Search over many positions at once, stored as arrays of numbers, for bots and learning."""

from rulespec.errors import RulespecError

try:
    import numpy as np  # noqa: F401
except ImportError:  # it requires an extra
    raise RulespecError("search needs numpy: pip install 'rulespec[wasm]'") from None
