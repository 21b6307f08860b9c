"""The language server: an editor's requests about rulesets, answered by the checker."""
