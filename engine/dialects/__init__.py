"""Foreign logs: games recorded by other programs, matched against legal options."""
