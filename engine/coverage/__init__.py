"""Coverage: the rules that a ruleset's tests run."""
