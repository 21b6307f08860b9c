"""Import of untrusted drawings: the visible parts, read within bounds as named regions."""
