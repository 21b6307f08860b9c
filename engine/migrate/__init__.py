"""Recorded games carried over to changed rules."""
