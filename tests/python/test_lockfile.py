# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""File locks shared by processes."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tvm_ffi.utils import FileLock

# Forked children call only the lock, whatever threads a framework has started.
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
    # Once imported, JAX warns about every fork.
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
]

HOLD = """
import sys
from tvm_ffi.utils import FileLock
lock = FileLock(sys.argv[1])
print(lock.acquire(), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a lock that is not held."""
    return tmp_path / "a lock"


def holder(path: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock until its input ends."""
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "True\n"
    return child


def in_child(function: Callable[[], bool]) -> bool:
    """Return the function's result from a forked child."""
    pid = os.fork()
    if pid == 0:
        status = 2
        try:
            status = 0 if function() else 1
        finally:
            os._exit(status)
    return {0: True, 1: False}[os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])]


def test_one_object_at_a_time_holds_it(path: Path) -> None:
    """A second object gets the lock once the first has released it."""
    first, second = FileLock(path), FileLock(str(path))
    assert first.acquire()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()


def test_releasing_what_is_not_held_does_nothing(path: Path) -> None:
    """It is a no-op before and after holding the lock, and never unlocks another object's lock."""
    lock, other = FileLock(path), FileLock(path)
    lock.release()
    assert other.acquire()
    lock.release()
    assert not lock.acquire()


def test_other_process_is_waited_for(path: Path) -> None:
    """Waiting times out while the other process holds the lock; when it exits, the lock is free."""
    with holder(path) as child:
        with pytest.raises(TimeoutError, match=r"a lock: expected the lock within 0.01 s"):
            FileLock(path).blocking_acquire(timeout=0.01, poll_interval=0.001)
        child.communicate("")
    assert FileLock(path).blocking_acquire(timeout=0)


def test_killed_holder_leaves_no_lock(path: Path) -> None:
    """The file remains, but the lock is free."""
    with holder(path) as child:
        child.send_signal(signal.SIGKILL)
    assert path.exists()
    assert FileLock(path).acquire()


def test_context_gives_the_lock_back_after_an_error(path: Path) -> None:
    """The error propagates."""
    with pytest.raises(KeyError), FileLock(path):
        raise KeyError
    assert FileLock(path).acquire()


def test_dropped_object_gives_the_lock_back(path: Path) -> None:
    """A garbage-collected object releases its lock."""
    lock = FileLock(path)
    assert lock.acquire()
    del lock
    gc.collect()
    assert FileLock(path).acquire()


def test_waiting_for_oneself_is_refused(path: Path) -> None:
    """Waiting for a lock held by this object or thread could never end, so it is an error."""
    with FileLock(path) as lock:
        assert not lock.acquire()
        with pytest.raises(RuntimeError, match="that this object does not hold already"):
            lock.blocking_acquire()
        with pytest.raises(RuntimeError, match="that this thread does not hold already"):
            FileLock(path).blocking_acquire()
    assert FileLock(path).acquire()


def test_other_thread_waits(path: Path) -> None:
    """A waiting thread gets the lock once this one releases it."""
    lock = FileLock(path)
    assert lock.acquire()
    got = []
    tries = threading.Event()

    def wait() -> None:
        mine = FileLock(path)
        got.append(mine.acquire())
        tries.set()
        got.append(mine.blocking_acquire(poll_interval=0.001))

    thread = threading.Thread(target=wait)
    thread.start()
    tries.wait()
    lock.release()
    thread.join()
    assert got == [False, True]


def test_child_has_no_part_in_its_parents_lock(path: Path) -> None:
    """A forked child does not hold its parent's lock, and can neither release nor acquire it."""
    with FileLock(path) as lock:

        def release_and_acquire() -> bool:
            lock.release()
            return lock.acquire() or FileLock(path).acquire()

        assert not in_child(release_and_acquire)
        assert not FileLock(path).acquire()
        assert not in_child(lambda: FileLock(path).acquire())


def test_child_takes_a_lock_that_its_parent_gives_back(path: Path) -> None:
    """A running child does not keep its parent's lock held."""
    reader, writer = os.pipe()
    lock = FileLock(path)
    assert lock.acquire()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
    lock.release()
    assert lock.acquire()
    lock.release()
    os.close(writer)
    os.close(reader)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_removed_file_is_locked_anew(path: Path) -> None:
    """After the file is removed, the new file can be locked; the old holder does not interfere."""
    old, new = FileLock(path), FileLock(path)
    assert old.acquire()
    path.unlink()
    assert new.acquire()
    old.release()
    assert not FileLock(path).acquire()
    assert old.acquire() is False


def test_impossible_files_are_named(tmp_path: Path) -> None:
    """A missing folder and a folder in place of the file are errors that name the path."""
    with pytest.raises(RuntimeError, match=r"FileLock: .*missing/lock: .*No such file"):
        FileLock(tmp_path / "missing" / "lock").blocking_acquire()
    with pytest.raises(RuntimeError, match=r"FileLock: .*Is a directory"):
        FileLock(tmp_path).acquire()
    with pytest.raises(TypeError, match="lock_file_path: expected a str or a path, got int"):
        FileLock(3)  # type: ignore[arg-type]


def test_descriptor_is_there_while_the_lock_is_held(path: Path) -> None:
    """The descriptor can be passed on to share the lock; without the lock there is none."""
    lock = FileLock(path)
    with pytest.raises(ValueError, match="is not held"):
        lock.fileno()
    with lock:
        assert os.fstat(lock.fileno()).st_ino == path.stat().st_ino


def test_published_attributes(path: Path) -> None:
    """The path is available as ``lock_file_path``."""
    assert FileLock(path).lock_file_path == str(path)
