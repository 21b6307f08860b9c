"""Coverage: measurement of the rules exercised by a ruleset's tests."""
