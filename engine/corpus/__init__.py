"""Many recorded games: their storage, one row each, and totals."""
