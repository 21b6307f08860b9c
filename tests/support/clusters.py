"""Clusters of this machine, for tests of what runs on them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from folders import ROOT


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a cluster on this machine."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()
