"""Running rulesets: games, legal options, logs, replay, simulation."""
