"""The command line: `rulespec validate`, `rulespec replay` and the other commands."""
