"""Bundles: a ruleset's sources embedded in a log, so that it can be replayed without other files."""
