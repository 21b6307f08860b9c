"""Bundles: the sources of a ruleset inside a log, for replaying it without anything else."""
