"""The language server: answers an editor's requests about rulesets by means of the checker."""
