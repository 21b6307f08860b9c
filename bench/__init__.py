"""What measures the project: its speed, and how well the validator tells mistakes. Run from the root."""
