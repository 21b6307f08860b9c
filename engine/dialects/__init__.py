"""Foreign logs: games recorded by other programs, matched with legal options."""
