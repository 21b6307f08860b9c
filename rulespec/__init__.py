"""The rules language: files, diagnostics, grammar, overlays and the checker."""
