"""Recorded games: replay, judgement under other rules, identification of the rules."""
