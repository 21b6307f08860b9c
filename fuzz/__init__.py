"""Fuzzing: whatever a file holds, the program ends soon, and says what is wrong. See docs/explanation/robustness.md."""
