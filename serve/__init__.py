"""A server of tables: a page, a socket, and one file with all games."""
