"""Records of the operators and built-in functions of the rules language."""
