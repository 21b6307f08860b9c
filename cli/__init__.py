"""Command line: `rulespec validate`, `replay` and their siblings."""
