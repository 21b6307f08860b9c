"""Playouts: random games in many processes, with results in files."""
