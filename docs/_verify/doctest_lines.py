# SPDX-License-Identifier: Apache-2.0
"""Trace which lines of doctest examples run, including functions called by later examples."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from .statements import Lines, held_against, python_statements


class DoctestLines:
    """The lines of each example, by a number that the caller chooses."""

    def __init__(self) -> None:
        self.sources: dict[int, str] = {}
        self.traced: dict[int, set[int]] = {}
        # Equal functions compare equal, so a code object is identified by its id, and kept alive.
        self.owners: dict[int, tuple[int, CodeType]] = {}
        self.current = 0

    @contextlib.contextmanager
    def following(self, number: int, source: str) -> Iterator[None]:
        """Trace an example while it runs, in all threads that start meanwhile."""
        self.current, self.sources[number] = number, source
        self.traced.setdefault(number, set())
        before = sys.gettrace(), threading.gettrace()
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before[0])
            threading.settrace(before[1])

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """Record a line; Python calls this for each new frame, and for each line of an example."""
        code = frame.f_code
        if not code.co_filename.startswith("<doctest "):
            return None
        if code.co_name == "<module>" and id(code) not in self.owners:
            self.own(code)
        if owner := self.owners.get(id(code)):
            self.traced[owner[0]].add(frame.f_lineno)
        return self.trace

    def own(self, code: CodeType) -> None:
        """Record that the current example created a code object and those nested in it."""
        self.owners[id(code)] = (self.current, code)
        for each in code.co_consts:
            if isinstance(each, CodeType):
                self.own(each)

    def lines(self, number: int) -> Lines:
        """Return the lines of an example that ran, and those that did not."""
        try:
            return held_against(python_statements(self.sources[number]), self.traced[number])
        except SyntaxError:
            return Lines()  # an example of a syntax error has no lines to run
