"""Sources laid over one another."""
