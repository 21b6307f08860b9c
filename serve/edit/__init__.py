"""The server of a map page: edits of one folder, their history, and pictures of its board."""
