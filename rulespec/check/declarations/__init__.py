"""The YAML sections of a ruleset as declarations: one subject a module, over one reader."""
