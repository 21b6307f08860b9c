"""Tables: games of people and bots, and each viewer's part of them."""
