"""The default backend: a program as generated Python source."""
