"""A server of tables: a page, a socket, and one file of games."""
