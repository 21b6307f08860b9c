"""Native logs: their files, and the decisions recorded in them."""
