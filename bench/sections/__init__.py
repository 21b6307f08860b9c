"""Sections of the measurements, a module for each idea. Each has a function that takes a `Bench` and gives figures."""
