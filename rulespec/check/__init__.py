"""The checker: merged sources in, a typed ruleset out, and everything that is wrong reported together."""
