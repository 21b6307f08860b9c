"""Bots: programs that play with their seat's knowledge, and search from there."""
