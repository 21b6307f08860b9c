"""Bundles: the sources of a ruleset in a log, so that it can be replayed without anything else."""
