"""Maps from the globe: outlines of a board's regions, generated from a recipe beside its map."""
