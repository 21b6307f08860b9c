"""A server for editing the map in one folder: edits, their history, and pictures of the board."""
