"""Optimisation passes: transformations of a program into a faster equivalent one."""
