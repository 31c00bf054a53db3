# SPDX-License-Identifier: Apache-2.0
"""A file lock shared by processes."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from types import TracebackType
from typing import Literal

# The locks that this process holds: the file (device and inode), the thread that acquired it, and
# the descriptor.
_holders: dict[tuple[int, int], tuple[int, int]] = {}


class FileLock:
    """A file lock that one process at a time can hold; releasing it leaves the file in place.

    The operating system releases the lock when its holder exits, even if it is killed. The lock is
    advisory and works on one machine only; it also excludes other threads of the same process.

    Parameters
    ----------
    lock_file_path
        Path of the file. A missing file is created; a missing folder is not.

    Examples
    --------
    >>> import os, tempfile
    >>> from tvm_ffi.utils import FileLock
    >>> path = os.path.join(tempfile.mkdtemp(), "lock")
    >>> with FileLock(path):
    ...     FileLock(path).acquire()
    False
    >>> FileLock(path).acquire()
    True
    """

    def __init__(self, lock_file_path: str | os.PathLike[str]) -> None:
        if not isinstance(lock_file_path, (str, os.PathLike)):
            raise TypeError(
                "FileLock: lock_file_path: expected a str or a path, got "
                f"{type(lock_file_path).__name__}"
            )
        self.lock_file_path = os.fspath(lock_file_path)
        self._fd: int | None = None
        self._pid = 0

    def acquire(self) -> bool:
        """Acquire the lock if it is free.

        Returns
        -------
        bool
            Whether it was acquired; ``False`` also if this object already holds it.

        Raises
        ------
        RuntimeError
            The file cannot be created, opened or locked.
        """
        if self._is_held():
            return False
        try:
            return self._try()
        except OSError as error:
            raise RuntimeError(f"FileLock: {self.lock_file_path}: {error}") from error

    def blocking_acquire(self, timeout: float | None = None, poll_interval: float = 0.1) -> bool:
        """Wait for the lock.

        Parameters
        ----------
        timeout
            Seconds to wait; ``None`` waits indefinitely.
        poll_interval
            Seconds between two attempts.

        Returns
        -------
        bool
            ``True``.

        Raises
        ------
        TimeoutError
            Another process or thread held it the whole time.
        RuntimeError
            This object, or this thread through another object, holds the lock and would wait for
            itself; or the file cannot be created, opened or locked.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while not self.acquire():
            self._refuse_to_wait_for_oneself()
            if end is not None and time.monotonic() >= end:
                raise TimeoutError(
                    f"FileLock: {self.lock_file_path}: expected the lock within {timeout} s, but "
                    "another process or thread holds it"
                )
            time.sleep(poll_interval)
        return True

    def release(self) -> None:
        """Release the lock; do nothing if it is not held."""
        fd, self._fd = self._fd, None
        # In a forked child the descriptor is already closed, and the lock is the parent's.
        if fd is None or self._pid != os.getpid():
            return
        _holders.pop(_identity(os.fstat(fd)), None)
        # Unlock explicitly: closing is not enough while a child still has the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)

    def fileno(self) -> int:
        """Return the descriptor that holds the lock; a process that inherits it shares the lock.

        Raises
        ------
        ValueError
            The lock is not held.
        """
        if self._fd is None or self._pid != os.getpid():
            raise ValueError(f"FileLock: {self.lock_file_path} is not held")
        return self._fd

    def __enter__(self) -> FileLock:
        self.blocking_acquire()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> Literal[False]:
        self.release()
        return False

    def __del__(self) -> None:
        # Skipped if construction failed, or at exit, when the system releases the lock.
        if getattr(self, "_fd", None) is not None and os is not None:
            self.release()

    def _is_held(self) -> bool:
        """Whether this process holds the lock through this object (false for a child's copy)."""
        return self._fd is not None and self._pid == os.getpid()

    def _try(self) -> bool:
        """Lock the file that has the name now, unless it is already locked."""
        while True:
            fd = os.open(self.lock_file_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                mine = _identity(os.fstat(fd))
                # Between opening and locking, the file may have been removed and created again.
                if mine == _identity(os.stat(self.lock_file_path)):
                    _holders[mine] = (threading.get_ident(), fd)
                    self._fd, self._pid = fd, os.getpid()
                    return True
            except BlockingIOError:
                os.close(fd)
                return False
            except FileNotFoundError:
                pass
            except BaseException:
                os.close(fd)
                raise
            os.close(fd)

    def _refuse_to_wait_for_oneself(self) -> None:
        holder = "this object" if self._is_held() else None
        if holder is None:
            try:
                held = _holders.get(_identity(os.stat(self.lock_file_path)))
            except FileNotFoundError:
                return
            if held and held[0] == threading.get_ident():
                holder = "this thread"
        if holder:
            raise RuntimeError(
                f"FileLock: {self.lock_file_path}: expected a lock that {holder} does not hold "
                "already: it would wait for itself"
            )


def _identity(status: os.stat_result) -> tuple[int, int]:
    return (status.st_dev, status.st_ino)


def _forget_the_parents() -> None:
    """Close a forked child's inherited descriptors, so the parent's locks end with the parent."""
    for _, fd in _holders.values():
        os.close(fd)
    _holders.clear()


os.register_at_fork(after_in_child=_forget_the_parents)
