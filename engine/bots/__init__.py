"""Bots: players that are programs, with their seat's knowledge, searching from there."""
