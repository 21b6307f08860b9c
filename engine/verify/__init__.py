"""Tests of rulesets: scenarios, invariants, exploration, perft, shrinking."""
