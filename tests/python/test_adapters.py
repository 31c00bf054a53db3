# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Valid and invalid answers of framework adapters."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import numpy
import pytest
import tvm_ffi
from tvm_ffi import _core, frameworks


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Create values of a framework whose adapter returns a given answer."""
    adapter: Any = ModuleType("tvm_ffi.frameworks.toy")
    monkeypatch.setitem(sys.modules, "toy", ModuleType("toy"))
    monkeypatch.setitem(sys.modules, "tvm_ffi.frameworks.toy", adapter)
    monkeypatch.setitem(frameworks._ADAPTERS, "toy", "toy")

    def make(answer: Any) -> Any:
        adapter.recognize = lambda cls: answer
        methods = {
            "__dlpack__": lambda self, **options: numpy.zeros(3).__dlpack__(**options),
            "__dlpack_device__": lambda self: (1, 0),
        }
        return type("Value", (), {"__module__": "toy", **methods})()

    return make


PLAIN = _core.Framework("toy")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (("exchange", None), "a Framework of a type with __dlpack_c_exchange_api__"),
        (("exchange", PLAIN), "a Framework of a type with __dlpack_c_exchange_api__"),
        (("ndarray", None), "a Framework, for numpy.ndarray"),
        (("ndarray", PLAIN), "a Framework, for numpy.ndarray"),
        (("dlpack", None), "a Framework"),
        (("dlpack", "toy"), "a Framework"),
        (("dtype", None), "a callable"),
        (("device", None), "a callable"),
        (("device", PLAIN), "a callable"),
        (("bool", PLAIN), "None"),
        (("refused", None), "a str"),
    ],
)
def test_what_a_word_needs(functions: Any, toy: Any, answer: Any, expected: str) -> None:
    """An answer whose second part does not fit its word is a TypeError, each time."""
    value = toy(answer)
    message = (
        f"tvm_ffi.frameworks.toy.recognize: toy.Value: "
        f"expected ({answer[0]!r}, {expected}), got {answer!r}"
    )
    for use in (functions.echo, tvm_ffi.convert, functions.echo):
        with pytest.raises(TypeError, match=re.escape(message)):
            use(value)


@pytest.mark.parametrize(
    "answer", ["dlpack", ["dlpack", PLAIN], ("dlpack",), ("dlpack", PLAIN, 1), ("dlpak", PLAIN), 3]
)
def test_what_is_no_answer(functions: Any, toy: Any, answer: Any) -> None:
    """An answer that is not a pair or has an unknown word is a TypeError."""
    value = toy(answer)
    message = (
        "tvm_ffi.frameworks.toy.recognize: toy.Value: expected None or a word of "
        f"_core/calls/kinds.cc with what it needs, got {answer!r}"
    )
    with pytest.raises(TypeError, match=re.escape(message)):
        functions.echo(value)


def test_answers_that_fit(functions: Any, toy: Any) -> None:
    """A valid answer is accepted."""
    assert functions.type_index(toy(("dlpack", PLAIN))) == 70
    assert functions.echo(toy(("dtype", lambda value: (2, 32, 1)))) == tvm_ffi.dtype("float32")
    assert functions.echo(toy(("device", lambda value: (1, 0)))) == tvm_ffi.device("cpu")
    assert functions.echo(toy(("bool", None))) is True
    with pytest.raises(TypeError, match="pass another"):
        functions.echo(toy(("refused", "pass another")))
