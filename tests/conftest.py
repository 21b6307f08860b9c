"""One folder of kept results for a whole run of the tests, and none of the user's."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # workers inherit the environment of the process that starts them
        os.environ["RULESPEC_CACHE"] = tempfile.mkdtemp(prefix="rulespec-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["RULESPEC_CACHE"], ignore_errors=True)
