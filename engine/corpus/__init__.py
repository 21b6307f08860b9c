"""Storage of many recorded games, a row of results for each game, and totals."""
