"""Native logs: files, and decisions as they are recorded."""
