"""Names and types of statements, decisions and options: one family of statements per module, with a shared context."""
