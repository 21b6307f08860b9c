"""`python -m rulespec`: the command `rulespec`."""

from rulespec.cli.main import main

if __name__ == "__main__":
    main()
