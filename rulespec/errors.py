"""The base class of all errors."""


class RulespecError(Exception):
    """Base class of every error that this package raises on purpose."""
