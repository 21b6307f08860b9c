"""Many recorded games: where they lie, a row for each, and what all of them say."""
