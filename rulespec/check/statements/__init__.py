"""Names and types of statements, decisions and options: one family of statements a module, over one context."""
