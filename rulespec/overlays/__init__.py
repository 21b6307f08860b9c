"""Overlays: merging sources on top of one another."""
