"""Name and type checks for statements, decisions and options: one module per family of forms, with a common context."""
