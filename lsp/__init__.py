"""The language server: answers an editor's requests about rulesets with the help of the checker."""
