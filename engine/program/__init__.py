"""Programs: the intermediate representation of rules, and its semantics."""
