"""Migration of recorded games to changed rules."""
