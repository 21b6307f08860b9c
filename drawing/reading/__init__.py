"""Import of untrusted drawings: their visible parts, read within limits as named regions."""
