"""Many games at once: in several processes of this machine, or on a cluster.

What is sent are a plan and the number of a game, what comes back is its outcome: plain data. Each process loads the
ruleset for itself, once. The course of a game depends on the plan and its number alone, and outcomes come in the order
of the numbers; so it makes no difference how many processes there are.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Generator, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from rulespec.engine.simulate.playouts import Outcome, Plan
from rulespec.errors import RulespecError
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

CLUSTERS = {"dask": "rulespec[cluster]", "ray": "rulespec[ray]"}
"""Kinds of clusters, by the names that joblib has for them, and what has to be installed."""
ROUND = 1_000
"""Games that a cluster plays before it hands them over, if it cannot do so one by one."""
TIMEOUT = 10
"""Seconds after which a cluster that does not answer is given up."""

_LIBRARIES = ("distributed", "ray")  # whose exceptions say that something is wrong with a cluster
_playing = threading.Lock()  # a process of a cluster may run tasks in several threads; a program has one state


class ClusterError(RulespecError):
    """Games cannot be played, or not any more, in other processes; the message says why."""


def play_on_workers(plan: Plan, numbers: range, jobs: int = -1, cluster: str = "") -> Generator[Outcome]:
    """Plays games in other processes.

    Args:
        plan: what is played; its `reference` must mean the same ruleset to the processes.
        numbers: the games.
        jobs: how many processes; -1: as many as there are cores.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`, to play there instead, with all that the cluster has.

    Yields:
        The outcomes, in the order of `numbers`. When it is closed, nothing more is played.

    Raises:
        ClusterError: if the processes cannot be started or reached, or end too early, or have another ruleset.
        DiagnosticsError: if a game cannot be set up.
    """
    try:
        import joblib
    except ImportError:
        raise ClusterError("this needs joblib: pip install joblib") from None
    if not numbers:
        return
    parent = None if cluster else _Parent(os.getpid(), gc.get_threshold())
    with ExitStack() as stack:
        if cluster:
            stack.enter_context(_connected(cluster))
        else:
            stack.enter_context(joblib.parallel_config(backend="loky", max_nbytes=None))
            jobs = min(joblib.cpu_count() if jobs == -1 else jobs, len(numbers))
        try:
            # joblib puts games into batches of about a second, and orders only some more batches than are being played.
            rounds = cluster.startswith("ray:")  # of all its backends, this one cannot hand over games as they come
            how = {"n_jobs": -1 if cluster else jobs, "return_as": "list" if rounds else "generator"}
            size = ROUND if rounds else len(numbers)
            with joblib.Parallel(**how) as parallel:
                for first in range(0, len(numbers), size):
                    games = numbers[first : first + size]
                    yield from parallel(joblib.delayed(_play)(plan, number, parent) for number in games)
        except BrokenExecutor:
            message = "a process that played games has been ended; was there too little memory? Fewer --jobs take less"
            raise ClusterError(message) from None
        except TimeoutError:
            raise ClusterError(f"{cluster} has no workers") from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] not in _LIBRARIES:
                raise
            detail = " ".join(str(error).split())[:200]
            raise ClusterError(f"{cluster} plays no more: {type(error).__name__}: {detail}") from None


class _Parent(NamedTuple):
    """The process that others belong to, and after how many new objects it looks for garbage."""

    pid: int
    garbage: tuple[int, int, int]


def _play(plan: Plan, number: int, parent: _Parent | None) -> Outcome:
    """Plays a game, in a process of its own."""
    if parent:
        _belong(parent)
    with _playing:
        return Outcome.of(plan.play(_ruleset(plan.reference, plan.ruleset_hash), number))


@cache
def _ruleset(reference: str, hash_: str) -> typed.Ruleset:
    ruleset = load_ruleset(reference)
    if ruleset.hash != hash_:
        message = f"other files are read for `{reference}` where games are played (on {socket.gethostname()}) than here"
        raise ClusterError(f"{message}; have they just been changed? Otherwise put the same ones there")
    return ruleset


@cache
def _belong(parent: _Parent) -> None:
    """Makes this process leave Ctrl-C to its parent, look for garbage as seldom, and end when that ends in any way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*parent.garbage)

    def watch() -> None:
        while os.getppid() == parent.pid:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# --- clusters -------------------------------------------------------------------------------


@contextmanager
def _connected(cluster: str) -> Iterator[None]:
    """Lets joblib play on a cluster."""
    import joblib

    kind, _, address = cluster.partition(":")
    if kind not in CLUSTERS:
        raise ClusterError(f"`{kind}` is no kind of cluster; there are {', '.join(CLUSTERS)}")
    with ExitStack() as stack:
        try:
            options = (_dask if kind == "dask" else _ray)(address, stack)
        except ImportError:
            raise ClusterError(f"this needs {kind}: pip install '{CLUSTERS[kind]}'") from None
        except ClusterError:
            raise
        except Exception as error:  # whatever comes of it that something else listens there
            detail = " ".join(str(error).split())[:200] or type(error).__name__
            raise ClusterError(f"{cluster} cannot be used: {detail}") from None
        stack.enter_context(joblib.parallel_config(backend=kind, **options))
        yield


def _reach(address: str) -> None:
    """Tries whether anybody answers at an address at all: neither kind of cluster says so soon and clearly."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ClusterError(f"`{address}` is no address such as tcp://host:8786 or host:6379")
    try:
        socket.create_connection((host, port), TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        raise ClusterError(f"{address} cannot be reached: {getattr(error, 'strerror', None) or error}") from None


def _dask(address: str, stack: ExitStack) -> dict[str, Any]:
    distributed = import_module("distributed")
    _reach(address)
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised

    async def greet() -> None:  # a client that finds something else there than a scheduler cannot be closed any more
        await (await distributed.core.connect(address, timeout=TIMEOUT)).close()

    asyncio.run(asyncio.wait_for(greet(), TIMEOUT))
    client = distributed.Client(address, timeout=TIMEOUT, set_as_default=False)
    stack.callback(client.close)
    return {"client": client, "wait_for_workers_timeout": TIMEOUT}


def _ray(address: str, stack: ExitStack) -> dict[str, Any]:
    ray = import_module("ray")
    register = import_module("ray.util.joblib").register_ray
    _reach(address)
    ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    stack.callback(ray.shutdown)
    register()
    return {}
