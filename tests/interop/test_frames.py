# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""A library built with the published headers has its frames in our tracebacks too."""

import json
import subprocess

import pytest
from table import build

SOURCE = """
#include <tvm/ffi/tvm_ffi.h>
namespace ffi = tvm::ffi;
#line 7 "thrown.cc"
static void fail() { TVM_FFI_THROW(ValueError) << "first"; }
static void fail_otherwise() { TVM_FFI_THROW(ValueError) << "second"; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
// Nothing is left of the first error but its text.
static void fail_late() {
  try {
    fail();
  } catch (const ffi::Error& error) {
    try {
      fail_otherwise();
    } catch (const ffi::Error&) {
    }
    throw ffi::Error(error);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_late, fail_late);
static void fail_with_a_text() {
  throw ffi::Error("ValueError", "m", "  File \\"a.cc\\", line 3, in f\\n");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail_with_a_text, fail_with_a_text);
"""
START = """
import json, sys, traceback
import tvm_ffi
try:
    tvm_ffi.load_module(sys.argv[1])[sys.argv[2]]()
except ValueError as error:
    frames = traceback.extract_tb(error.__traceback__)
    print(json.dumps([[frame.filename, frame.lineno, frame.name] for frame in frames]))
"""


@pytest.fixture(scope="module", params=["ours", "published"])
def library(request, pythons, tmp_path_factory):
    """The library, built with the headers of each package."""
    folder = tmp_path_factory.mktemp(request.param)
    source = folder / "throwing.cc"
    source.write_text(SOURCE)
    assert build(source, pythons[request.param], folder) == ""
    return folder / "throwing.so"


@pytest.mark.parametrize(
    ("function", "frame"),
    [
        ("fail", ["thrown.cc", 7, "fail"]),
        ("fail_late", ["thrown.cc", 7, "fail"]),
        ("fail_with_a_text", ["a.cc", 3, "f"]),
    ],
)
def test_the_place_is_in_the_traceback(pythons, library, function, frame):
    """Whether the error came with its entries or with a text only."""
    command = [pythons["ours"], "-c", START, str(library), function]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    file, line, name = json.loads(done.stdout)[-1]
    # The published headers take the function with its signature.
    assert [file, line, name.removeprefix("void ").removesuffix("()")] == frame
