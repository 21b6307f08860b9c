"""Recorded games: replay, judgement under other rules, identification."""
