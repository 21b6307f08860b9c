"""Native logs: files and recorded decisions."""
