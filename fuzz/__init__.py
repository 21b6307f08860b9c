"""Fuzzing: on any input, the program must end soon and report faults. See docs/explanation/robustness.md."""
