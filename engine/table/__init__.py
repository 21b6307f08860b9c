"""Tables: games of people and bots, and each viewer's view of them."""
