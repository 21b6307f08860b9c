"""Sections of the measurements, one subject per module. Each has functions that take a `Bench` and yield figures."""
