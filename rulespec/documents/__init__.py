"""YAML files as trees of nodes that know their places."""
