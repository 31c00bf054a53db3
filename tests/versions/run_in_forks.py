# SPDX-License-Identifier: Apache-2.0
"""Run examples' drivers under several packages: run_in_forks.py EXAMPLES < JOBS.

Each line of JSON is a job with a ``package`` (a folder to import ``tvm_ffi`` from), a folder
of ``libraries`` and ``names`` of examples, or ``statements`` of Python, each with a name. PyTorch
and JAX, which take most of the time, are imported once; each package is imported in a fork of this
process, and each driver runs in a fork of that one. So a crash affects only one driver's result,
and no driver sees state left by another. A line of JSON is printed for each job's results.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import signal
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests" / "interop")]

from _verify.versions_record import NO_RESULT  # noqa: E402  (below a folder that was just named)
from run_drivers import run_driver  # noqa: E402

LIMIT = 3600  # seconds for one driver: on a busy machine some take many minutes
SAID = 2000  # bytes kept from the end of a process's output


def how_it_ended(status: int, said: str) -> str:
    """Say why a process ended without a result, with the loader's last message, if any."""
    lines = [line for line in said.splitlines() if line.strip()]
    if os.WIFSIGNALED(status):  # any output then comes from a library's signal handler
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    ended = f"ended the process with status {os.waitstatus_to_exitcode(status)}"
    return f"{ended}: {lines[-1].strip()}" if lines else ended


def in_a_fork(work: Callable[[], Any], limit: float) -> Any:
    """Run a function in a fork; return its result, or a string that says how the fork ended."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as errors:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # Python and JAX warn of forks of processes with threads
            child = os.fork()
        if child == 0:
            try:
                os.close(reading)
                os.dup2(errors.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                os.write(writing, json.dumps(work()).encode())
            finally:
                os._exit(0)  # so no destructor of the parent runs twice
        os.close(writing)
        said, late = read_until(reading, time.monotonic() + limit)
        if late:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if late:
            return f"{NO_RESULT} after {limit:g} seconds"
        if said:
            return json.loads(said)
        errors.seek(max(0, errors.seek(0, os.SEEK_END) - SAID))
        return how_it_ended(status, errors.read().decode(errors="replace"))


def read_until(reading: int, end: float) -> tuple[bytes, bool]:
    """Read a pipe to its end or a deadline; return the data and whether it was still open."""
    parts = []
    try:
        while (left := end - time.monotonic()) > 0:
            if select.select([reading], [], [], left)[0]:
                part = os.read(reading, 65536)
                if not part:
                    return b"".join(parts), False
                parts.append(part)
        return b"".join(parts), True
    finally:
        os.close(reading)


def run_under(examples: Path, job: dict[str, Any]) -> dict[str, str]:
    """Import the job's package, and run each of its drivers in a fork."""
    package = Path(job["package"])
    sys.path.insert(0, str(package))
    import tvm_ffi

    found = Path(tvm_ffi.__file__)
    if not found.is_relative_to(package):
        raise ImportError(f"run_under: expected tvm_ffi of {package}, got {found}")
    sys.path.insert(0, "")  # run_driver puts a driver's own folder here
    os.chdir(job["libraries"])

    work: dict[str, Callable[[], str]] = {}
    for name in job.get("names", []):
        work[name] = partial(run_driver, examples / name / f"load_{name}.py")
    for name, statement in job.get("statements", {}).items():
        work[name] = partial(run_statement, statement)
    return {name: str(in_a_fork(each, LIMIT)) for name, each in work.items()}


def run_statement(statement: str) -> str:
    """Run a line of Python; return "ok" or its error."""
    try:
        exec(statement, {})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "ok"


def run_job(examples: Path, job: dict[str, Any]) -> dict[str, str]:
    """Run a job in a fork; if the package cannot be imported, every part reports that."""
    names = [*job.get("names", []), *job.get("statements", {})]

    def work() -> dict[str, str]:
        try:
            return run_under(examples, job)
        except BaseException as error:
            return dict.fromkeys(names, f"{type(error).__name__}: {error}")

    found = in_a_fork(work, LIMIT * (1 + len(names)))
    return found if isinstance(found, dict) else dict.fromkeys(names, found)


def main(examples: str) -> None:
    """Run the jobs from standard input, one after the other."""
    for name in ("torch", "jax"):  # the drivers import them; JAX starts no thread before a call
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(run_job(Path(examples), json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
