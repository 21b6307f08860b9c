"""A game in progress: its open decision, its legal options, its state."""
