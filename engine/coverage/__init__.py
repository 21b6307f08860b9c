"""What of the rules the tests of a ruleset execute."""
