"""Bots: players that are programs. They get what their seat knows, and search from there."""
