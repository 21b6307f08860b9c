"""Runs rulesets: games, legal options, logs, replay, simulation."""
