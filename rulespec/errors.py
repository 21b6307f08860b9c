"""The root of all errors."""


class RulespecError(Exception):
    """What a caller may catch: every error that this package raises on purpose derives from it."""
