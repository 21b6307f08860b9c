"""Drawings from strangers: what a browser shows of them, read within bounds as regions with names."""
