"""The language server: what an editor asks about rulesets, answered from the checker."""
