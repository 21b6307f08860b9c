"""A program becomes a faster program of the same meaning."""
