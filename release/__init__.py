"""The build backend, and the check of a release."""
