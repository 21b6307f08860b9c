"""Tests of rulesets: scenarios, invariants, exploration, perft, and shrinking of failing games."""
