"""Reasons: why an option is legal or refused, why something has happened, as trees of conditions with their values."""
