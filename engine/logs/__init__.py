"""Native logs: the files and the decisions recorded in them."""
