# SPDX-License-Identifier: Apache-2.0
"""What a target is: a strategy of inputs, and a function that hands one to the package."""

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
# A RuntimeError by its class, but never an answer to a wrong argument.
UNUSUAL_ERRORS = (RecursionError, UnicodeError)


class Wrong(Exception):
    """The package gave a value that its input contradicts."""


def expect(truth: bool, message: str) -> None:
    """Raise an error that the runner counts as a wrong value."""
    if not truth:
        raise Wrong(message)


def names() -> list[str]:
    """All targets."""
    return sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


def load(name: str) -> ModuleType:
    """Import a target: it has ``INPUTS``, ``run(given, ledger)`` and perhaps ``ERRORS``.

    ``INPUTS`` is a strategy of JSON values; ``ERRORS`` are documented kinds beside the usual ones.
    """
    return importlib.import_module(f"targets.{name}")


def judge(module: Any, given: Any, ledger: Ledger) -> tuple[str, list[tuple[str, str]]]:
    """Run one input; give its outcome, "value" or the kind of error, and what was wrong with it."""
    errors = (*USUAL_ERRORS, *getattr(module, "ERRORS", ()))
    wrong: list[tuple[str, str]] = []
    outcome = "value"
    try:
        module.run(json.loads(json.dumps(given)), ledger)
    except Wrong as error:
        wrong.append(("wrong value", str(error)))
    except BaseException as error:  # an exit or an interrupt is no answer either
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
    """The kinds of error that a target documents beside the usual ones."""
    return tuple(getattr(module, "ERRORS", ()))
