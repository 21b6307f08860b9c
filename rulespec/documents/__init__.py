"""YAML and text files: reading, checking and writing of untrusted files, as trees of nodes with places."""
