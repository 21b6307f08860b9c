"""Overlays: merging of sources over one another."""
