"""Overlays: sources laid over one another."""
