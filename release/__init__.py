"""The build backend, and the preparation of a release."""
