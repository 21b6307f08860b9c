"""Drawings from strangers: the parts that a browser shows, read within bounds as regions with names."""
