"""Programs: their form and meaning."""
