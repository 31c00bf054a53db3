# SPDX-License-Identifier: Apache-2.0
# Rows: R7
"""Container conversions for C++ parameters, as listed on the page on containers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tvm_ffi import Array, Dict, List, Map, cpp

SOURCE = """
using namespace tvm::ffi;
Array<int64_t> keep_array(Array<int64_t> x) { return x; }
List<int64_t> keep_list(List<int64_t> x) { return x; }
Map<String, int64_t> keep_map(Map<String, int64_t> x) { return x; }
Dict<String, int64_t> keep_dict(Dict<String, int64_t> x) { return x; }
"""
FUNCTIONS = ["keep_array", "keep_list", "keep_map", "keep_dict"]
KEPT = {"keep_array": Array, "keep_list": List, "keep_map": Map, "keep_dict": Dict}


@pytest.fixture(scope="module")
def keeping(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a library whose functions return their argument."""
    folder: Path = tmp_path_factory.mktemp("parameters")
    return cpp.load_inline(
        "parameters", cpp_sources=SOURCE, functions=FUNCTIONS, build_directory=folder
    )


@pytest.mark.parametrize(
    ("function", "given", "shared"),
    [
        ("keep_array", [1, 2], False),
        ("keep_array", (1, 2), False),
        ("keep_array", List([1, 2]), False),
        ("keep_list", List([1, 2]), True),
        ("keep_list", [1, 2], False),
        ("keep_list", (1, 2), False),
        ("keep_list", Array([1, 2]), False),
        ("keep_map", {"a": 1}, False),
        ("keep_map", Dict({"a": 1}), False),
        ("keep_dict", Dict({"a": 1}), True),
        ("keep_dict", {"a": 1}, False),
        ("keep_dict", Map({"a": 1}), False),
    ],
)
def test_containers_that_a_parameter_takes(
    keeping: Any, function: str, given: Any, shared: bool
) -> None:
    """A List and a Dict are shared with C++; anything else that converts arrives as a copy."""
    kept = keeping[function](given)
    assert type(kept) is KEPT[function]
    assert kept == given
    assert (hasattr(given, "same_as") and kept.same_as(given)) is shared


@pytest.mark.parametrize(
    ("function", "given"), [("keep_array", {"a": 1}), ("keep_list", "ab"), ("keep_dict", [1])]
)
def test_containers_that_a_parameter_refuses(keeping: Any, function: str, given: Any) -> None:
    """A sequence is not a mapping, a mapping is not a sequence, and text is neither."""
    with pytest.raises(TypeError, match=r"argument 0: expected (Array|List|Dict)\["):
        keeping[function](given)
