"""A program: what it is and what it means."""
