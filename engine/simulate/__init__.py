"""Playouts: random games, on many processes, with results in files."""
