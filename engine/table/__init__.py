"""Tables: games that people and programs play, and what each viewer has of them."""
