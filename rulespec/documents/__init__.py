"""YAML and text files: reading, checking and writing untrusted files, as trees of nodes with places."""
