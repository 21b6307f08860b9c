"""Parsing: from rules and expressions as text to syntax trees."""
