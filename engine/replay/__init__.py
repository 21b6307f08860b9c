"""Recorded games: replay, judgement under other rules, and identification of the rules."""
