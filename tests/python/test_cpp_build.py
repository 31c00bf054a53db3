# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Libraries built from Python, and the results of builds."""

from __future__ import annotations

from pathlib import Path

import numpy
import pytest
import tvm_ffi
from tvm_ffi import cpp
from tvm_ffi.cpp import cache

from .cpp_builds import ADD, own_cache  # noqa: F401  (a fixture)


def test_inline_source_is_built_and_loaded() -> None:
    """A function can be called and has its documentation."""
    module = cpp.load_inline("adder", cpp_sources=ADD, functions={"add": 'Adds "two"\n\\ ü.'})
    assert module.add(1, 2) == 3
    assert module.get_function_doc("add") == 'Adds "two"\n\\ ü.'


def test_tensors_of_a_framework() -> None:
    """The included headers are found, and the code reads and writes NumPy arrays."""
    code = """
    void add_one(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
      TVM_FFI_CHECK(x.numel() == y.numel(), ValueError) << "expected tensors of one size";
      for (int64_t i = 0; i < x.numel(); ++i) {
        static_cast<float*>(y.data_ptr())[i] = static_cast<float*>(x.data_ptr())[i] + 1;
      }
    }"""
    module = cpp.load_inline("adds", cpp_sources=code, functions="add_one")
    for size in (0, 1, 7, 1000):
        x = numpy.arange(size, dtype="float32")
        y = numpy.empty_like(x)
        module.add_one(x, y)
        numpy.testing.assert_array_equal(y, x + 1)
    with pytest.raises(ValueError, match="expected tensors of one size"):
        module.add_one(x, y[:1])


def test_several_sources_are_one_unit() -> None:
    """Later sources call functions from earlier ones; a name listed twice is exported once."""
    sources = ["static int twice(int x) { return 2 * x; }", "int f(int x) { return twice(x) + 1; }"]
    module = cpp.load_inline("parts", cpp_sources=sources, functions=["f", "f"])
    assert module.f(20) == 41


def test_empty_source_is_a_library_without_functions() -> None:
    """An empty source is valid; it exports no functions."""
    module = cpp.load_inline("empty", cpp_sources="")
    with pytest.raises(AttributeError, match="has no function 'add'"):
        module.add(1, 2)


def test_library_stands_under_its_name(cache_folder: Path, tmp_path: Path) -> None:
    """The library is in a folder of the cache, or directly in the folder requested."""
    path = Path(cpp.build_inline("adder", cpp_sources=ADD, functions="add"))
    assert path.name == "adder.so"
    assert path.parent.parent == cache_folder
    assert path.parent.name.startswith("adder_")
    given = cpp.build_inline(
        "adder", cpp_sources=ADD, functions="add", build_directory=tmp_path / "my folder"
    )
    assert given == str(tmp_path / "my folder" / "adder.so")
    assert tvm_ffi.load_module(given).add(1, 2) == 3


def test_home_is_where_the_cache_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache is under HOME if no variable names it."""
    monkeypatch.delenv("TVM_FFI_CACHE_DIR")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.cache_folder() == str(tmp_path / ".cache" / "tvm-ffi")
