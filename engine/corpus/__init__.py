"""Many recorded games: their storage, a row of results for each, and totals."""
