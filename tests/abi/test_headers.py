# SPDX-License-Identifier: Apache-2.0
# Rows: R7, R9
"""Every public header has a test file of the same name; the umbrella omits some headers."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include"
HEADERS = sorted(path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.h"))

# Headers without a test file of the same name: the file that tests them, and why.
ELSEWHERE = {
    "dlpack/dlpack.h": ("tests/abi/test_abi.py", "it declares layouts and no functions"),
    "tvm/ffi/c_api.h": ("tests/abi/test_abi.py", "each C function stands with its concept's tests"),
    "tvm/ffi/attributes.h": ("tests/cpp/test_object.cc", "all headers use them"),
    "tvm/ffi/big_int_words.h": ("tests/cpp/test_big_int_against_python.py", "BigInt's arithmetic"),
    "tvm/ffi/container/hash_table.h": ("tests/cpp/test_map.cc", "what Map and Dict are made of"),
    "tvm/ffi/container/map_base.h": ("tests/cpp/test_map.cc", "what Map and Dict share"),
    "tvm/ffi/container/seq_base.h": ("tests/cpp/test_array.cc", "what Array and List share"),
    "tvm/ffi/container/tensor_layout.h": ("tests/cpp/test_tensor.cc", "how tensors are laid out"),
    "tvm/ffi/container/tensor_object.h": ("tests/cpp/test_tensor.cc", "Tensor owns one"),
    "tvm/ffi/container/tensor_queries.h": ("tests/cpp/test_tensor.cc", "tensors have them"),
    "tvm/ffi/error_object.h": ("tests/cpp/test_error.cc", "it declares Error"),
    "tvm/ffi/export.h": ("tests/cpp/test_shown_functions.cc", "the macros of all exports"),
    "tvm/ffi/extra/base.h": ("tests/cpp/test_extra_base.cc", "one for CUDA has its name"),
    "tvm/ffi/extra/c_env_api.h": ("tests/cpp/test_env.cc", "the file has the concept's name"),
    "tvm/ffi/extra/cuda/base.h": ("tests/examples/test_scale.py", "it needs CUDA"),
    "tvm/ffi/extra/cuda/cubin_launcher.h": ("tests/cubin/test_launcher.py", "it needs CUDA"),
    "tvm/ffi/extra/cuda/device_guard.h": ("tests/examples/test_scale.py", "it needs CUDA"),
    "tvm/ffi/extra/cuda/internal/driver.h": ("tests/cubin/test_launcher.py", "it needs CUDA"),
    "tvm/ffi/extra/cuda/internal/image.h": ("tests/cubin/test_launcher.py", "it needs CUDA"),
    "tvm/ffi/extra/cuda/internal/unified_api.h": ("tests/cubin/test_launcher.py", "it needs CUDA"),
    "tvm/ffi/decimal_point.h": ("tests/cpp/test_json.cc", "numbers have it"),
    "tvm/ffi/extra/json_reader.h": ("tests/cpp/test_json.cc", "it is behind json::Parse"),
    "tvm/ffi/extra/json_writer.h": ("tests/cpp/test_json.cc", "it is behind json::Stringify"),
    "tvm/ffi/extra/serialization.h": ("tests/cpp/test_dataclass.cc", "of the same types"),
    "tvm/ffi/extra/structural_hash.h": ("tests/cpp/test_structural_equal.cc", "equal hashes"),
    "tvm/ffi/extra/structural_key.h": ("tests/cpp/test_structural_equal.cc", "compared so"),
    "tvm/ffi/function_details.h": ("tests/cpp/test_function.cc", "what Function is made of"),
    "tvm/ffi/function_object.h": ("tests/cpp/test_function.cc", "it declares Function"),
    "tvm/ffi/global_names.h": ("tests/cpp/test_function.cc", "Function lists them"),
    "tvm/ffi/keep_library.h": ("tests/cpp/test_allocation.cc", "it loads a library to see"),
    "tvm/ffi/make_object.h": ("tests/cpp/test_object.cc", "all its objects are made so"),
    "tvm/ffi/message.h": ("tests/cpp/test_error.cc", "the text of an error's macros"),
    "tvm/ffi/object_macros.h": ("tests/cpp/test_object.cc", "they declare objects"),
    "tvm/ffi/object_memory.h": ("tests/cpp/test_object.cc", "what make_object takes"),
    "tvm/ffi/object_ptr.h": ("tests/cpp/test_object.cc", "reference counts and weak pointers"),
    "tvm/ffi/object_ref.h": ("tests/cpp/test_object.cc", "handles of objects"),
    "tvm/ffi/optional_in_place.h": ("tests/cpp/test_optional.cc", "it is an Optional of a handle"),
    "tvm/ffi/reflection/enum_def.h": ("tests/cpp/test_enum.cc", "it defines entries of an Enum"),
    "tvm/ffi/reflection/traits.h": ("tests/cpp/test_registry.cc", "registrations take them"),
    "tvm/ffi/string_escape.h": ("tests/cpp/test_string.cc", "it escapes a String"),
    "tvm/ffi/string_pieces.h": ("tests/cpp/test_string.cc", "String::Split gives them"),
    "tvm/ffi/throw_macros.h": ("tests/cpp/test_error.cc", "they throw Errors"),
    "tvm/ffi/tvm_ffi.h": ("tests/cpp/test_slim.py", "it is the other headers"),
    "tvm/ffi/typed_function.h": ("tests/cpp/test_function.cc", "a Function with a signature"),
}


def own_test(header: str) -> Path:
    """The test file named after the header."""
    return ROOT / "tests" / "cpp" / f"test_{Path(header).stem}.cc"


@pytest.mark.parametrize("header", HEADERS)
def test_header_has_a_test_file(header):
    """A header without one is listed with the file that tests it instead."""
    shown_by = ROOT / ELSEWHERE[header][0] if header in ELSEWHERE else own_test(header)
    assert shown_by.exists()


def test_exceptions_are_needed():
    """No listed header has been removed or has its own test file."""
    assert [header for header in ELSEWHERE if header not in HEADERS] == []
    assert [header for header in ELSEWHERE if own_test(header).exists()] == []


def includes(header: str) -> set[str]:
    """The headers that a header includes, directly or indirectly."""
    found: set[str] = set()
    waiting = [header]
    while waiting:
        text = (ROOT / "include" / waiting.pop()).read_text()
        new = set(re.findall(r"#include <(tvm/ffi/[^>]+)>", text)) - found
        found |= new
        waiting += new
    return found


def test_what_the_umbrella_leaves_out():
    """The tooling page names each header that tvm_ffi.h does not include."""
    left = set(HEADERS) - includes("tvm/ffi/tvm_ffi.h")
    left -= {"tvm/ffi/tvm_ffi.h", "dlpack/dlpack.h"}
    by_name = {header for header in left if not header.startswith("tvm/ffi/extra/cuda/")}
    by_name -= includes("tvm/ffi/reflection/registry.h")
    by_name -= {"tvm/ffi/extra/json_reader.h", "tvm/ffi/extra/json_writer.h"}  # json.h has them
    by_name -= {"tvm/ffi/big_int_words.h"}  # big_int.h has it
    page = (ROOT / "docs/packaging/cpp_tooling.rst").read_text()
    (table,) = re.findall(
        r"^Include these headers by name.*?(?=^\w)", page, re.MULTILINE | re.DOTALL
    )
    assert sorted(re.findall(r"``(.*?)``", table)) == sorted(by_name)
