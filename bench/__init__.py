"""Measurements of the project: its speed, and the share of mistakes detected by the validator. Run from the root."""
