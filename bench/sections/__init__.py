"""Sections of the measurements, one subject per module. Each has a function from a `Bench` to figures."""
