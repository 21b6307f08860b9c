"""Entry point for `python -m rulespec`: the command `rulespec`."""

import gc

if __name__ == "__main__":
    gc.set_threshold(200_000)  # as `main` says; before the imports, which make more objects than most commands

    from rulespec.cli.main import main

    main()
