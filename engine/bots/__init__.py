"""Bots: programs that play and search with only their seat's knowledge."""
