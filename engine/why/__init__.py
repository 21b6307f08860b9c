"""Reasons why options are legal or refused, and why something happened: trees of conditions with values."""
