"""Maps from the globe: outlines of the regions of a board, from a recipe that lies beside its map."""
