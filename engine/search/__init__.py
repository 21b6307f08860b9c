"""Search: many positions at once, as arrays of numbers, for bots and learning."""
