"""The command line: `rulespec validate`, `replay` and their siblings."""
