"""Measurements of the project: its speed, and the share of mistakes the validator detects. Run them from the root."""
