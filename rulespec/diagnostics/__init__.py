"""Diagnostics: codes, records, the report, and their renderers."""
