"""Many recorded games: their storage, a row for each, and totals."""
