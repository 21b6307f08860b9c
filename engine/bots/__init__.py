"""Bots: programs that play and search with no more than their seat's knowledge."""
