"""YAML files as trees of nodes with places."""
