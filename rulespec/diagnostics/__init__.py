"""Diagnostics: codes, records, the report, and renderers."""
