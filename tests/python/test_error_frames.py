# SPDX-License-Identifier: Apache-2.0
# Rows: R6
"""C++ frames in tracebacks, for files and libraries with any name."""

from __future__ import annotations

import json
import re
import subprocess
import traceback
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi

from .conftest import compile_cpp_library

NAMES = [
    "plain.cc",
    'quoted "name".cc',
    'x", line 5, in y.cc',
    "two\nlines.cc",
    'whole\n  File "other.cc", line 3, in g\n.cc',
    "grüße 🙂.cc",
]
HEAD = """
#include <tvm/ffi/tvm_ffi.h>
namespace ffi = tvm::ffi;
static void call(const ffi::Function& f) { f(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call, call);
static void without_a_place() {
  throw ffi::Error("ValueError", "boom", TVMFFIBacktrace(nullptr, 0, nullptr, 0));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(without_a_place, without_a_place);
static void __attribute__((noinline)) named_in_latin() __asm__("gr\\374n");
static void named_in_latin() {
  TVM_FFI_THROW(ValueError) << "boom";
}
static void not_utf8() {
  named_in_latin();
  asm volatile("");  // no tail call
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(not_utf8, not_utf8);
static void with_callers() {
  ffi::Error error("ValueError", "boom", TVMFFIBacktrace("a\\", line 1, in b.cc", 7, "f", 0));
  const TVMFFIByteArray caller{"  File \\"caller.cc\\", line 9, in g\\n", 34};
  error.UpdateBacktrace(&caller, kTVMFFIBacktraceUpdateModeAppend);
  throw error;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(with_callers, with_callers);
"""
FUNCTION = """
static void throw_{0}() {{
#line 7 {1}
  TVM_FFI_THROW(ValueError) << "boom";
}}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throw_{0}, throw_{0});
"""


@pytest.fixture(scope="module")
def throwing(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function for each file name, in a library whose path is unusual too."""
    folder = tmp_path_factory.mktemp("throwing") / 'a", line 3, in b\n "c'
    folder.mkdir()
    functions = (
        FUNCTION.format(i, json.dumps(name, ensure_ascii=False)) for i, name in enumerate(NAMES)
    )
    source = folder / "throwing.cc"
    source.write_text(HEAD + "".join(functions))
    compile_cpp_library(source, folder / "throwing.so")
    return tvm_ffi.load_module(folder / "throwing.so")


def frames_of(function: Any, *arguments: Any) -> list[tuple[str, int | None, str]]:
    """Return the frames below this function's own, most recent first."""
    with pytest.raises(ValueError, match="boom") as caught:
        function(*arguments)
    frames = traceback.extract_tb(caught.value.__traceback__)[1:]
    return [(frame.filename, frame.lineno, frame.name) for frame in reversed(frames)]


@pytest.mark.parametrize("index", range(len(NAMES)), ids=NAMES)
def test_any_name_of_a_source(throwing: Any, index: int) -> None:
    """The file of the throwing line is named exactly, and so is its callers' library."""
    first, *callers = frames_of(throwing[f"throw_{index}"])
    assert first == (NAMES[index], 7, f"throw_{index}")
    assert (throwing.path, 0, f"__tvm_ffi_throw_{index}") in callers
    assert {file for file, _, _ in callers} == {throwing.path}


def test_a_stripped_library(throwing: Any, tmp_path: Path) -> None:
    """Without its symbol table, a library's hidden functions appear as addresses."""
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", throwing.path, "-o", stripped], check=True)
    thrown, *inner, exported = frames_of(tvm_ffi.load_module(stripped).not_utf8)
    assert thrown[2] == "named_in_latin"
    assert inner
    assert all(re.fullmatch("0x[0-9a-f]+", name) for _, _, name in inner)
    assert exported == (str(stripped), 0, "__tvm_ffi_not_utf8")
    names = [name for _, _, name in frames_of(throwing.not_utf8)]
    assert not [name for name in names if name.startswith("0x")]


def test_a_name_that_is_not_utf8(throwing: Any) -> None:
    """Invalid UTF-8 in a function's name is escaped, whether the error crosses once or twice."""
    for function, arguments in ((throwing.not_utf8, ()), (throwing.call, (throwing.not_utf8,))):
        names = [name for _, _, name in frames_of(function, *arguments)]
        assert names.count("gr\\xfcn") == 1


def test_calls_without_a_place(throwing: Any) -> None:
    """A backtrace captured in C++ without a source location names the calls."""
    files = {file for file, _, _ in frames_of(throwing.without_a_place)}
    assert files == {throwing.path}


def test_callers_that_are_text(throwing: Any) -> None:
    """Lines added as text are parsed, and the other frames stay unchanged."""
    frames = frames_of(throwing.with_callers)
    assert frames[0] == ('a", line 1, in b.cc', 7, "f")
    assert frames[-1] == ("caller.cc", 9, "g")
    assert {file for file, _, _ in frames[1:-1]} == {throwing.path}


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_python_file(throwing: Any, name: str) -> None:
    """A Python exception that crosses C++ comes back with each of its frames once."""
    scope: dict[str, Any] = {}
    exec(compile("\n\ndef fails():\n    raise ValueError('boom')\n", name, "exec"), scope)
    python = [frame for frame in frames_of(throwing.call, scope["fails"]) if frame[0] == name]
    assert python == [(name, 4, "fails")]


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ('  File "a.cc", line 3, in g', ("a.cc", 3, "g")),
        ('  File "x", line y.cc", line 3, in g', ('x", line y.cc', 3, "g")),
        ('  File "a.cc", line 3, in f(", line 4, in g)', ("a.cc", 3, 'f(", line 4, in g)')),
    ],
)
def test_a_backtrace_that_is_text(functions: Any, line: str, frame: Any) -> None:
    """Without recorded frames, the entries are parsed from the text."""
    assert frames_of(functions.fail, "ValueError", "boom", f"{line}\n") == [frame]


def test_long_numbers_in_texts(functions: Any) -> None:
    """An entry whose line number overflows is ignored."""
    text = f'  File "a.cc", line {10**30}, in g\n'
    assert frames_of(functions.fail, "ValueError", "boom", text) == []


def test_errors_that_cross_twice(throwing: Any) -> None:
    """An error that passes through a callback keeps each of its frames once."""
    frames = frames_of(throwing.call, lambda: throwing.throw_2())
    assert [frame for frame in frames if frame[0] == NAMES[2]] == [(NAMES[2], 7, "throw_2")]


def test_exceptions_that_were_raised_again_meanwhile(described: Any) -> None:
    """An exception re-raised after an error carried it has each old and new frame once."""

    def fails() -> None:
        raise ValueError("boom")

    def fails_again(error: ValueError) -> None:
        raise error

    with pytest.raises(ValueError, match="boom") as caught:
        fails()
    described.keep(caught.value)
    with pytest.raises(ValueError, match="boom"):
        fails_again(caught.value)
    names = [name for _, _, name in frames_of(described.raise_error, described.give_back())]
    described.keep(None)
    assert (names.count("fails"), names.count("fails_again")) == (1, 1)
