"""Optimisation passes: from a program to a faster equivalent one."""
