# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Modules embedded in a library as bytes at its symbol ``__tvm_ffi__library_bin``."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tvm_ffi

HEAD = """
void* __tvm_ffi__library_ctx = 0;
int __tvm_ffi_seven(void* handle, const void* args, int count, void* result) {
  ((int*)result)[0] = 1;
  ((long long*)result)[1] = 7;
  return 0;
}
"""
KIND = "test_library_binary"


def numbers(*values: int) -> bytes:
    """Encode 64-bit little-endian numbers."""
    return b"".join(value.to_bytes(8, "little") for value in values)


def sized(content: bytes) -> bytes:
    """Prefix bytes with their size."""
    return numbers(len(content)) + content


def tree(begins: list[int], children: list[int], *modules: bytes) -> bytes:
    """Encode what follows the total size."""
    lists = numbers(len(begins), *begins) + numbers(len(children), *children)
    return lists + b"".join(modules)


LIB = sized(b"_lib")


def saved(content: bytes, kind: str = KIND) -> bytes:
    """Encode a module of a kind that is loaded from bytes."""
    return sized(kind.encode()) + sized(content)


ONE_CHILD = tree([0, 1, 1], [1], LIB, saved(b"child"))


@pytest.fixture
def got() -> Iterator[list[bytes]]:
    """Yield the bytes passed to the kind's loader, whose modules are system libraries."""
    given: list[bytes] = []

    def load(content: bytes) -> tvm_ffi.Module:
        given.append(content)
        return tvm_ffi.system_lib(f"{KIND}.{content.decode()}.")

    name = f"ffi.Module.load_from_bytes.{KIND}"
    tvm_ffi.register_global_func(name, load)
    yield given
    tvm_ffi.remove_global_func(name)


@pytest.fixture
def build(tmp_path: Path) -> Any:
    """Return a function that builds a library with the given bytes at the symbol."""

    def make(content: bytes, size: int | None = None) -> Path:
        all_bytes = numbers(len(content) if size is None else size) + content
        listed = ",".join(map(str, all_bytes))
        source = tmp_path / "library.c"
        text = f"const unsigned char __tvm_ffi__library_bin[] = {{{listed}}};\n"
        source.write_text(HEAD + text)
        library = tmp_path / "library.so"
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
        return library

    return make


def load(library: Path) -> tvm_ffi.Module:
    """Load a library for this test only."""
    return tvm_ffi.load_module(library, keep_module_alive=False)


def test_a_child(build: Any, got: list[bytes]) -> None:
    """The library imports the child each time it is loaded."""
    library = build(ONE_CHILD)
    module = load(library)
    assert module.seven() == 7
    assert [each.kind for each in module.imports] == ["system_lib"]
    assert len(load(library).imports) == 1
    assert got == [b"child"] * 2


def test_a_tree(build: Any, got: list[bytes]) -> None:
    """Children can have children and be shared by two modules."""
    a, b = saved(b"a"), saved(b"b")
    module = load(build(tree([0, 2, 3, 3], [1, 2, 2], LIB, a, b)))
    first, second = module.imports
    assert first.imports == [second]
    assert not second.imports
    first.clear_imports()
    assert got == [b"a", b"b"]


def test_the_library_below_another_module(build: Any, got: list[bytes]) -> None:
    """Loading returns the first module."""
    module = load(build(tree([0, 1, 1], [1], saved(b"root"), LIB)))
    assert module.kind == "system_lib"
    assert [each.kind for each in module.imports] == ["library"]
    assert module.get_function("seven", query_imports=True)() == 7
    module.clear_imports()
    assert got == [b"root"]


@pytest.mark.parametrize(
    ("content", "size", "message"),
    [
        (b"", None, "expected 8 more bytes, got 0 bytes"),
        (tree([0, 0], [], sized(b"_lib")[:-1]), None, "expected 4 more bytes, got 3 bytes"),
        (ONE_CHILD, 20, "expected 3 more numbers, got 12 bytes"),
        (numbers(2**61), None, f"expected {2**61} more numbers, got 0 bytes"),
        (tree([0], []), None, "expected at least one module, got none"),
        (tree([0, 2], [0], LIB), None, "children of module 0 among 1, got those from 0 to 2"),
        (tree([1, 0], [0], LIB), None, "children of module 0 among 1, got those from 1 to 0"),
        (tree([0, 1], [1], LIB), None, "expected a child below 1, got 1"),
        (tree([0, 1], [0], LIB), None, "expected a module that does not import this one"),
        (
            tree([0, 0], [], saved(b"", "no_such_kind")),
            None,
            'got "no_such_kind", for which there is no global function '
            '"ffi.Module.load_from_bytes.no_such_kind"',
        ),
    ],
)
def test_bytes_that_are_refused(build: Any, content: bytes, size: int | None, message: str) -> None:
    """The error states what was expected and where; nothing is read past the end of the bytes."""
    with pytest.raises((RuntimeError, ValueError), match=re.escape(message)):
        load(build(content, size))


@pytest.mark.parametrize("size", [2**20, 2**40, 2**63, 2**64 - 1])
def test_a_size_beyond_the_library(build: Any, size: int) -> None:
    """The size may point past the library's end, but nothing is read there."""
    with pytest.raises(RuntimeError, match=rf"expected a size of at most \d+ bytes.*, got {size}$"):
        load(build(tree([0, 2**62], [0]), size))


@pytest.mark.parametrize("begins", [([0, 1, 1], [1], LIB), ([0, 1, 1], [1])])
def test_a_kind_whose_function_gives_no_module(build: Any, begins: Any) -> None:
    """A None result is not a module, neither below nor above the library."""
    name = f"ffi.Module.load_from_bytes.{KIND}"
    tvm_ffi.register_global_func(name, lambda content: None)
    try:
        modules = (*begins, saved(b"x")) if LIB in begins else (*begins, saved(b"x"), LIB)
        with pytest.raises(TypeError, match=f'expected a module from "{name}", got None'):
            load(build(tree(*modules)))
    finally:
        tvm_ffi.remove_global_func(name)


def test_system_library(got: list[bytes]) -> None:
    """It finds its modules among the symbols registered by the program, by its prefix."""
    content = ctypes.create_string_buffer(sized(ONE_CHILD))
    register = ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi()).TVMFFIEnvModRegisterSystemLibSymbol
    name = b"test_library_binary_system.__tvm_ffi__library_bin"
    register(name, ctypes.cast(content, ctypes.c_void_p))
    module = tvm_ffi.system_lib("test_library_binary_system.")
    assert [each.kind for each in module.imports] == ["system_lib"]
    assert got == [b"child"]
    assert tvm_ffi.system_lib("test_library_binary_system.").same_as(module)
