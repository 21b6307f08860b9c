"""Overlays: sources merged over one another."""
