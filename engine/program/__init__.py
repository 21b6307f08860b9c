"""Programs: their form and their meaning."""
