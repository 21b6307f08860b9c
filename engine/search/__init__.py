"""Search over many positions at once, stored as arrays of numbers, for bots and learning."""

try:
    import numpy as np  # noqa: F401
except ImportError:  # it requires an extra
    raise ModuleNotFoundError("search needs numpy: pip install 'rulespec[wasm]'", name="numpy") from None
