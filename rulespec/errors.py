"""The base class of all exceptions of this package."""


class RulespecError(Exception):
    """Base class of all errors raised deliberately by this package."""
