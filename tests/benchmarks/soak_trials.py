# SPDX-License-Identifier: Apache-2.0
"""The trials of soak.py: soak_trials.py TRIAL COUNT LIBRARY prints what happened, as JSON.

Each trial is a class: ``work`` repeats its operation a number of times, and all that it needs is
made before, so that what grows afterwards was left behind by the repetitions.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tvm_ffi
from leaks import malloc_bytes, resident_bytes

THREADS = 16
LIMIT = 20  # seconds allowed to a forked child


class Calls:
    """Calls of seven kinds, spread over 16 threads."""

    def __init__(self, library: Path) -> None:
        module = tvm_ffi.load_module(library)
        self.array = np.zeros(4)
        self.tensor = tvm_ffi.from_dlpack(self.array)
        self.kinds: list[Callable[[], Any]] = [
            module.none,
            lambda: module.one_int(7),
            lambda: module.three_named(1.0, c=3.0, b=2.0),
            lambda: module.one_tensor(self.array),
            lambda: module.same_tensor(self.tensor),
            lambda: module.map({"a": 1, "b": 2}),
            lambda: module.call_back(int, 1),
        ]

    def work(self, count: int) -> None:
        """Call, each thread beginning with another kind."""

        def repeat(first: int) -> None:
            for i in range(first, first + count // THREADS):
                self.kinds[i % len(self.kinds)]()

        in_threads([lambda n=n: repeat(n) for n in range(THREADS)])


class Loads:
    """A library is loaded, called and unloaded."""

    def __init__(self, library: Path) -> None:
        self.path = library.with_name("unloaded.so")

    def work(self, count: int) -> None:
        """Load and unload."""
        for _ in range(count):
            tvm_ffi.load_module(self.path, keep_module_alive=False).none()
        if str(self.path) in Path("/proc/self/maps").read_text():
            raise AssertionError(f"{self.path} is still loaded")


class Errors:
    """An error of C++ reaches Python, or one of Python crosses C++ and comes back."""

    def __init__(self, library: Path) -> None:
        self.module = tvm_ffi.load_module(library)
        self.error = KeyError("on purpose")

    def fail(self, _: int) -> None:
        """Raise, called by C++."""
        raise self.error

    def work(self, count: int) -> None:
        """Raise and catch, in both directions in turn."""
        for i in range(count):
            try:
                if i % 2:
                    self.module.fail()
                else:
                    self.module.call_back(self.fail, 1)
            except ValueError:
                caught = "C++"
            except KeyError:
                caught = "Python"
            if caught != ("C++" if i % 2 else "Python"):
                raise AssertionError(f"error {i}: caught one of {caught}")
            self.error.__traceback__ = None  # Python extends it at each raise


class Forks:
    """A child calls, raises and makes tensors, while four threads of its parent call."""

    def __init__(self, library: Path) -> None:
        self.module = tvm_ffi.load_module(library)
        self.errors = Errors(library)
        self.calls = Calls(library)

    def child(self) -> int:
        """What each child does; the status that it ends with."""
        self.module.one_tensor(np.ones(3))
        self.errors.work(2)
        for call in self.calls.kinds:
            call()
        made = tvm_ffi.from_dlpack(np.arange(3.0))
        return 0 if float(np.from_dlpack(made).sum()) == 3.0 else 1

    def work(self, count: int) -> None:
        """Fork one child after the other."""
        stop = threading.Event()

        def load() -> None:
            while not stop.is_set():
                for call in self.calls.kinds:
                    call()

        threads = [threading.Thread(target=load, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            for number in range(count):
                fork(self.child, number)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


class Everything:
    """Sixteen threads call, load, raise, register, look up, store, erase and fork at once."""

    def __init__(self, library: Path) -> None:
        self.calls, self.loads, self.errors = Calls(library), Loads(library), Errors(library)
        self.module = tvm_ffi.load_module(library)
        self.storage = tvm_ffi.List([0] * THREADS)
        self.forks = Forks(library)

    def register(self, thread: int) -> None:
        """A global function is registered, found, called and removed."""
        name = f"soak.function_{thread}"
        tvm_ffi.register_global_func(name, lambda x: x + 1, override=True)
        if tvm_ffi.get_global_func(name)(41) != 42:
            raise AssertionError(f"{name}: expected 42")
        tvm_ffi.registry.remove_global_func(name)

    def store(self, thread: int) -> None:
        """A value of this thread goes into a container that all threads share, and comes out."""
        self.storage[thread] = tvm_ffi.Shape([thread, 1])
        if tuple(self.storage[thread]) != (thread, 1):
            raise AssertionError(f"storage: expected the shape of thread {thread}")

    def point(self, _: int) -> None:
        """An object is made, changed and asked."""
        made = self.module.point()
        made.y = 5
        if made.plus(made.y) != 8:
            raise AssertionError("plus: expected 8")

    def work(self, count: int) -> None:
        """Each thread does all of it in turn."""

        def repeat(thread: int) -> None:
            for i in range(count // THREADS):
                turn = (i + thread) % 64
                if turn == 0 and i % 8 == 0:
                    fork(self.forks.child, i)
                elif turn < 8:
                    tvm_ffi.load_module(self.loads.path, keep_module_alive=False).none()
                elif turn < 16:
                    self.errors_of_own(thread)
                elif turn < 24:
                    self.register(thread)
                elif turn < 32:
                    self.store(thread)
                elif turn < 40:
                    self.point(thread)
                else:
                    self.calls.kinds[turn % len(self.calls.kinds)]()

        in_threads([lambda n=n: repeat(n) for n in range(THREADS)])

    def errors_of_own(self, thread: int) -> None:
        """An error comes back with this thread's number."""

        def fail(_: int) -> None:
            raise KeyError(thread)

        try:
            self.module.call_back(fail, 1)
        except KeyError as error:
            if error.args != (thread,):
                raise AssertionError(f"expected the error of thread {thread}") from error


TRIALS: dict[str, Any] = {
    "calls": Calls,
    "loads": Loads,
    "errors": Errors,
    "forks": Forks,
    "everything": Everything,
}


def in_threads(works: list[Callable[[], None]]) -> None:
    """Run all at once; the first error of any is raised."""
    errors: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def fork(work: Callable[[], int], number: int) -> None:
    """Do work in a child; AssertionError: it hangs, crashes or ends with another status than 0."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = work()
        finally:
            os._exit(status)
    end = time.monotonic() + LIMIT
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"child {number} hangs")
        time.sleep(0.0005)
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        raise AssertionError(f"child {number} ended with status {code}")


def held() -> dict[str, int]:
    """What the process holds, after a collection."""
    gc.collect()
    return {
        "malloc bytes": malloc_bytes(),
        "resident bytes": resident_bytes(),
        "blocks of Python": sys.getallocatedblocks(),
        "threads": threading.active_count(),
        "open files": len(os.listdir("/proc/self/fd")),
    }


def main(name: str, count: int, library: Path) -> None:
    """Run a tenth, which fills caches, and then the rest, over which growth is measured."""
    trial = TRIALS[name](library)
    first = count // 10
    trial.work(first)
    before, begun = held(), time.monotonic()
    trial.work(count - first)
    seconds, after = time.monotonic() - begun, held()
    growth = {what: after[what] - before[what] for what in after}
    print(json.dumps({"count": count, "over": count - first, "seconds": seconds, "grew": growth}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
