"""Coverage: which rules the tests of a ruleset run."""
