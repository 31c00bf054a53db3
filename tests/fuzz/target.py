# SPDX-License-Identifier: Apache-2.0
"""A target is a strategy for inputs, and a function that passes one to the package."""

from __future__ import annotations

import gc
import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from ledger import Ledger

FOLDER = Path(__file__).with_name("targets")
USUAL_ERRORS = (TypeError, ValueError, RuntimeError)
# Subclasses of usual errors that are never a valid response to a wrong argument.
UNUSUAL_ERRORS = (RecursionError, UnicodeError)


class Wrong(Exception):
    """The package returned a value that contradicts its input."""


def expect(truth: bool, message: str) -> None:
    """Raise an error that the runner counts as a wrong value."""
    if not truth:
        raise Wrong(message)


def names() -> list[str]:
    """All targets."""
    return sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def load(name: str) -> ModuleType:
    """Import a target: it has ``INPUTS``, ``run(given, ledger)`` and optionally ``ERRORS``.

    ``INPUTS`` is a strategy for JSON values; ``ERRORS`` lists further documented error types.
    """
    return importlib.import_module(f"targets.{name}")


def judge(module: Any, given: Any, ledger: Ledger) -> tuple[str, list[tuple[str, str]]]:
    """Run one input; return its outcome, "value" or the error type, and what was wrong."""
    errors = (*USUAL_ERRORS, *getattr(module, "ERRORS", ()))
    wrong: list[tuple[str, str]] = []
    outcome = "value"
    try:
        module.run(json.loads(json.dumps(given)), ledger)
    except Wrong as error:
        wrong.append(("wrong value", str(error)))
    except BaseException as error:  # an exit or an interrupt is not a valid response either
        outcome = type(error).__name__
        is_usual = isinstance(error, errors) and not (
            isinstance(error, UNUSUAL_ERRORS) and not isinstance(error, module_errors(module))
        )
        if not is_usual:
            wrong.append(("unexpected error", f"{outcome}: {error}"))
        elif len(str(error)) < 8:
            wrong.append(("unexpected error", f"{outcome} that says nothing: {error}"))
    if ledger.missing():
        gc.collect()
    wrong += [("release", problem) for problem in ledger.close()]
    return outcome, wrong


def module_errors(module: Any) -> tuple[type[BaseException], ...]:
    """The error types that a target documents in addition to the usual ones."""
    return tuple(getattr(module, "ERRORS", ()))
