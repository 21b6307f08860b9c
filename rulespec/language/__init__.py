"""The operators and built-in functions of the rules language, each a record."""
