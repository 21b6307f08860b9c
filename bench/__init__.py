"""Measurements of the project: its speed, and the share of mistakes that the validator reports. Run from the root."""
