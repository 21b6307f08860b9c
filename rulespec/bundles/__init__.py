"""Bundles: a ruleset's sources embedded in a log, so that the log can be replayed without other files."""
