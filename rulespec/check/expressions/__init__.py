"""Names and types of expressions: one family of expressions a module, over one context."""
