"""Foreign logs: other programs' records of games, matched with legal options."""
