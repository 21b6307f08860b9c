"""Development tools; no installed module imports them."""
