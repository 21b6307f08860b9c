"""A game in progress, with its open decision, legal options and state."""
