"""The operators and built-in functions of the rules language, one record each."""
