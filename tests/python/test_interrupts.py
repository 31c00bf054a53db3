# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Ctrl-C is not lost while an error is propagated or an argument is inspected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tvm_ffi
from tvm_ffi import error as error_module


class Interrupted(ValueError):
    """Its text is formatted when it crosses, which may detect a signal."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


class NoName:
    """A callable whose name lookup runs Python code."""

    def __getattr__(self, name: str) -> Any:
        raise KeyboardInterrupt

    def __call__(self) -> Any:
        """Return a value that is not plain."""
        return "a text, which is packed under the callable's name"


class Meta(type):
    """A metaclass whose classes are interrupted at the first lookup of a missing method."""

    unasked = True

    def __getattr__(cls, name: str) -> Any:
        if Meta.unasked:
            Meta.unasked = False
            raise KeyboardInterrupt
        raise AttributeError(name)


class Refused:
    """A value that cannot be packed."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error


def raise_error(error: Exception, cause: Exception | None = None) -> Callable[[], None]:
    """Return a callback that raises."""

    def callback() -> None:
        raise error from cause

    return callback


@pytest.mark.parametrize(
    "act",
    [
        lambda functions: functions.call(raise_error(Interrupted())),
        lambda functions: functions.call(raise_error(ValueError(), Interrupted())),
        lambda functions: functions.nop(Interrupted()),
        lambda functions: functions.nop(Refused(Interrupted())),
        lambda functions: functions.nop(Meta("Unseen", (), {})()),
        lambda functions: functions.call(NoName()),
        lambda functions: tvm_ffi.Function(NoName()),
    ],
)
def test_interrupts_are_not_lost(functions: Any, act: Callable[[Any], Any]) -> None:
    """The interrupt is raised instead of the interrupted error."""
    with pytest.raises(KeyboardInterrupt):
        act(functions)


def test_an_interrupt_shows_what_it_interrupted(functions: Any) -> None:
    """As in Python, the exception being propagated is the context."""
    error = Interrupted()
    with pytest.raises(KeyboardInterrupt) as caught:
        functions.call(raise_error(error))
    assert caught.value.__context__ is error


def test_the_class_of_a_kind_is_interrupted(
    functions: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt in the constructor of a registered class is raised too."""

    def interrupt(message: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setitem(error_module._class_of_kind, "Interrupting", interrupt)
    with pytest.raises(KeyboardInterrupt):
        functions.fail("Interrupting", "message", "")
    with pytest.raises(KeyboardInterrupt):
        tvm_ffi.core.Error("Interrupting", "message").py_error()
