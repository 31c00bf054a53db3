# SPDX-License-Identifier: Apache-2.0
"""Errors as Python exceptions, and Python exceptions in libraries."""

import traceback

from .case import case, error_of


@case
def errors_in_python(makers, checkers):
    """An error of each of eight kinds of a library is the Python exception of that name."""
    for i in (*range(7), 9):
        kind = checkers.errors.kind_of(i)
        error = error_of(makers.errors.throw_kind, i)
        assert type(error).__name__ == kind
        assert type(error).__module__ == "builtins"
        assert f"message {i} \N{LATIN SMALL LETTER E WITH ACUTE}" in str(error)


@case
def more_errors_in_python(makers, checkers):
    """NotImplementedError and InternalError of a library are Python exceptions of these names."""
    for i in (7, 8):
        kind, error = checkers.errors.kind_of(i), error_of(makers.errors.throw_kind, i)
        assert isinstance(error, RuntimeError)
        assert type(error).__name__ == kind, f"{kind} came as {type(error).__name__}"


@case
def unknown_kind_in_python(makers, checkers):
    """An error of a kind that nobody registered is a RuntimeError."""
    error = error_of(makers.errors.throw_kind, 10)
    assert type(error) is RuntimeError
    assert "message 10" in str(error)


@case
def source_line_in_python(makers, checkers):
    """The traceback of an error names the C++ source line."""
    error = error_of(makers.errors.throw_line)
    assert isinstance(error, ValueError)
    told = "".join(traceback.format_exception(error))
    assert "errors.cc" in told
    assert "ThrowLine" in told


def through(raised, makers, checkers) -> Exception:
    """Let an exception pass through two libraries with Python code in between."""

    def fail():
        raise raised

    def fail_deeper():
        makers.errors.call_thrower(fail)

    return error_of(checkers.errors.call_thrower, fail_deeper)


@case
def python_exception_through_libraries(makers, checkers):
    """A Python exception through two libraries and back: kind and message."""
    for raised in (KeyError("mine"), ValueError("mine"), IndexError("mine")):
        error = through(raised, makers, checkers)
        assert type(error) is type(raised)
        assert "mine" in str(error)


@case
def python_exception_same_object(makers, checkers):
    """A Python exception through two libraries and back: the same object."""
    raised = KeyError("mine")
    assert through(raised, makers, checkers) is raised, "another exception came back"


@case
def python_exception_caught(makers, checkers):
    """A Python exception caught by a library has its kind and message."""

    def fail():
        raise IndexError("beyond")

    assert checkers.errors.catch_kind(fail) == "IndexError: beyond"


@case
def causes_in_python(makers, checkers):
    """The causes of a library's error are those of the Python exception."""
    error = error_of(makers.errors.throw_chain)
    assert type(error).__name__ == "RuntimeError"
    assert type(error.__cause__).__name__ == "ValueError", f"the cause is {error.__cause__}"
    assert type(error.__cause__.__cause__).__name__ == "KeyError"
