"""The base class of all errors."""


class RulespecError(Exception):
    """Base class of all errors raised deliberately by this package."""
