"""Workers that play games in parallel: processes on this computer or on a cluster.

A worker gets a plan and a game number, and returns the outcome as plain data. Each worker loads the ruleset once. A
game depends only on the plan and its number, and outcomes arrive in order, so the number of workers makes no
difference.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from itertools import chain, islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

from rulespec.engine.program.draws import GENERATOR
from rulespec.engine.program.long_values import counting, handed_back, note
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.errors import RulespecError
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

CLUSTERS = {"dask": "rulespec[cluster]", "ray": "rulespec[ray]"}
"""The supported clusters, by their names in joblib, each with the package to install."""
ROUND = 1_000
"""The number of games per batch on a cluster that cannot return outcomes one by one."""
_ROUND_OF_BOTS = 100
"""Games of bots per batch, which take longer."""
TIMEOUT = 10
"""The number of seconds after which a cluster is reported as unreachable."""

_T = TypeVar("_T")
_LIBRARIES = ("distributed", "ray")  # libraries whose errors are failures of a cluster
_playing = threading.Lock()  # a cluster worker may have several threads


class ClusterError(RulespecError):
    """Raised if workers fail; the message gives the reason."""


Play = Callable[[GamePlan, typed.Ruleset, int], Outcome]
"""A module-level function, sent to workers by name, that plays one game of a plan."""


def play_on_workers(
    plan: GamePlan, numbers: range, jobs: int = -1, cluster: str = "", play: Play | None = None
) -> Generator[Outcome]:
    """Plays games of a plan in other processes; see `play_tasks`. Yields the outcomes in the order of `numbers`."""
    return play_tasks(((plan, number) for number in numbers), jobs, cluster, play)


def play_tasks(
    tasks: Iterable[tuple[GamePlan, int]], jobs: int = -1, cluster: str = "", play: Play | None = None
) -> Generator[Outcome]:
    """Plays games in other processes.

    Args:
        tasks: pairs of a plan and the number of a game; each plan's `reference` must name the same ruleset in all
            workers.
        jobs: the maximum number of processes; -1 means one per core. There are never more processes than cores or
            games.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`, to use all workers of this cluster instead.
        play: the function that plays a game; None means that players choose at random.

    Yields:
        The outcomes, in the order of the tasks. Closing the generator stops the workers.

    Raises:
        ClusterError: if workers cannot be started or reached, end too early, or have another ruleset.
        DiagnosticsError: if a game cannot be set up.
    """
    calls = ((*task, play) for task in tasks)
    return on_workers(_played, calls, jobs, cluster, ROUND if play is None else _ROUND_OF_BOTS)


def on_workers(
    work: Callable[..., _T], calls: Iterable[tuple[Any, ...]], jobs: int = -1, cluster: str = "", batch: int = ROUND
) -> Generator[_T]:
    """Calls a function in other processes.

    Args:
        work: a module-level function, sent by name.
        calls: the arguments of each call, as plain data.
        jobs: the maximum number of processes; -1 means one per core. There are never more processes than cores or
            calls.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`, to use all workers of this cluster instead.
        batch: the number of calls per batch on a cluster that cannot return results one by one.

    Yields:
        The results, in the order of the calls. Closing the generator stops the workers.

    Raises:
        ClusterError: if workers cannot be started or reached, or end too early.
    """
    try:
        import joblib
    except ImportError:
        raise ClusterError("this needs joblib: pip install joblib") from None
    remaining = iter(calls)
    jobs = min(jobs, joblib.cpu_count()) if jobs > 0 else joblib.cpu_count()
    first = list(islice(remaining, max(2, jobs)))
    if not first:
        return
    if len(first) == 1 and not cluster:  # starting a process would take longer than waiting
        yield work(*first[0])
        return
    jobs = min(jobs, len(first))
    remaining = chain(first, remaining)
    with ExitStack() as stack:
        if cluster:
            stack.enter_context(_connected(cluster))
        else:
            # Every worker follows its parent, even one without a game, which would otherwise wait for minutes.
            config = {
                "max_nbytes": None,
                "initializer": _follow_parent,
                "initargs": (os.getpid(), gc.get_threshold(), _place()),
            }
            stack.enter_context(joblib.parallel_config(backend="loky", **config))
        with _reported(cluster):
            # joblib forms batches of about a second, and queues only a few batches in advance.
            rounds = cluster.startswith("ray:")  # the only backend that cannot return games one by one
            how = {"n_jobs": -1 if cluster else jobs, "return_as": "list" if rounds else "generator"}
            with joblib.Parallel(**how) as parallel:
                for part in _batches(remaining, batch) if rounds else [remaining]:
                    results = parallel(joblib.delayed(_done)(work, call) for call in part)
                    try:
                        for result, handed in results:
                            note(handed)
                            yield result
                    finally:
                        _close(results)


def _close(results: Iterable[object]) -> None:
    """Cancels calls whose results nobody awaits, as joblib would warn about unused results."""
    if isinstance(results, Generator):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _batches(tasks: Iterator[_T], size: int) -> Iterator[list[_T]]:
    while batch := list(islice(tasks, size)):
        yield batch


@contextmanager
def _reported(cluster: str) -> Iterator[None]:
    """Turns errors of workers into `ClusterError`."""
    try:
        yield
    except BrokenExecutor:
        message = "a worker was killed, probably for lack of memory: use fewer --jobs"
        raise ClusterError(message) from None
    except TimeoutError:
        raise ClusterError(f"{cluster} has no workers") from None
    except Exception as error:
        if not _of_cluster(error):
            raise
        detail = " ".join(str(error).split())[:200]
        raise ClusterError(f"{cluster} has stopped: {type(error).__name__}: {detail}") from None


def _of_cluster(error: Exception) -> bool:
    """Whether an error comes from a cluster library, such as Ray's KeyError without a node."""
    modules = [str(frame.f_globals.get("__name__", "")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    raised_in = "" if isinstance(error, RulespecError) else modules[-1]
    return any(module.partition(".")[0] in _LIBRARIES for module in (type(error).__module__, raised_in))


def _done(work: Callable[..., _T], call: tuple[Any, ...]) -> tuple[_T, dict[str, int]]:
    """Calls a function in a worker; also returns the work done by machines other than the plan's."""
    with _playing, counting() as handed:
        return work(*call), dict(handed)


def _played(plan: GamePlan, number: int, play: Play | None) -> Outcome:
    ruleset = ruleset_of(plan.reference, plan.sources_hash)
    if plan.random != GENERATOR:
        message = f"a worker (on {socket.gethostname()}) draws games by `{GENERATOR}`, not by `{plan.random}`"
        raise ClusterError(f"{message}: install the same version of rulespec there")
    if play is not None:
        return play(plan, ruleset, number)
    if plan.backend == "wasm":
        from rulespec.engine.simulate.wasm import wasm_outcome
        from rulespec.engine.wasm.engine import NoWasmtimeError

        try:
            return wasm_outcome(plan, ruleset, number)
        except NoWasmtimeError:  # this worker plays in Python, with the same outcome
            outcome = plan.outcome(ruleset, number)
            handed_back("python", outcome.decisions)
            return outcome
    return plan.outcome(ruleset, number)


def ruleset_of(reference: str, sources_hash: str) -> typed.Ruleset:
    """The ruleset that a reference names, loaded once per worker.

    Raises:
        ClusterError: if its sources do not match the hash.
    """
    return _ruleset(reference, sources_hash, _place())


@cache
def _ruleset(reference: str, sources_hash: str, _at: tuple[str, str]) -> typed.Ruleset:
    ruleset = load_ruleset(reference)
    if ruleset.sources_hash != sources_hash:
        message = f"a worker (on {socket.gethostname()}) has a different version of `{reference}`"
        raise ClusterError(f"{message}; copy the same files there, unless they have just changed")
    return ruleset


def _place() -> tuple[str, str]:
    """The folder and the search path of rulesets, which determine the meaning of references."""
    try:
        folder = os.getcwd()  # noqa: PTH109
    except OSError:  # it has been removed
        folder = ""
    return folder, os.environ.get("RULESPEC_PATH", "")


def _follow_parent(parent: int, garbage: tuple[int, int, int], _place: tuple[str, str]) -> None:
    """Makes this worker ignore Ctrl-C, collect garbage as rarely as its parent, and exit with it.

    Workers are reused only by calls with the same arguments, so not by calls from another folder.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*garbage)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


# --- clusters -------------------------------------------------------------------------------


@contextmanager
def _connected(cluster: str) -> Iterator[None]:
    """Connects joblib to a cluster."""
    import joblib

    kind, _, address = cluster.partition(":")
    if kind not in CLUSTERS:
        raise ClusterError(f"`{kind}` is not a kind of cluster; the kinds are {', '.join(CLUSTERS)}")
    with ExitStack() as stack:
        try:
            options = (_dask if kind == "dask" else _ray)(address, stack)
        except ImportError:
            raise ClusterError(f"this needs {kind}: pip install '{CLUSTERS[kind]}'") from None
        except ClusterError:
            raise
        except Exception as error:  # another service there may send anything
            detail = " ".join(str(error).split())[:200] or type(error).__name__
            raise ClusterError(f"{cluster} cannot be used: {detail}") from None
        stack.enter_context(joblib.parallel_config(backend=kind, **options))
        yield


def _reach(address: str) -> None:
    """Checks that an address answers, which cluster libraries report late and vaguely."""
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        host, port = parts.hostname, parts.port
    except ValueError:
        host = port = None
    if not host or not port:
        raise ClusterError(f"`{address}` is not an address such as tcp://host:8786 or host:6379")
    try:
        socket.create_connection((host, port), TIMEOUT).close()
    except (OSError, UnicodeError) as error:
        raise ClusterError(f"{address} cannot be reached: {getattr(error, 'strerror', None) or error}") from None


def _dask(address: str, stack: ExitStack) -> dict[str, Any]:
    import asyncio  # lazily: few runs have a cluster

    distributed = import_module("distributed")
    _reach(address)
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # failures are raised instead

    async def greet() -> None:  # a client connected to another service could not be closed
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
