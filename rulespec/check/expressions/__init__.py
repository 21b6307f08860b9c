"""Names and types of expressions: one family of expressions per module, with a shared context."""
