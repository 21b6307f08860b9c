"""Recorded games: replayed, judged by other rules, identified."""
