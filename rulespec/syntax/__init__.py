"""Parsing: converts rules and expressions from text to syntax trees."""
