# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""C++ tests with other headers: parts that do not compile are removed, and the rest runs."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
from _verify.package_flags import flags
from _verify.published_cpp import STANDARD, compile_rest, run_cpp_tests, shown_cpp_tests
from _verify.published_snippets import cpp_difference

ROOT = Path(__file__).resolve().parents[2]
# C++ tests among the files that pages include.
SHOWN = re.compile(r"literalinclude:: (?:\.\./)*(tests/cpp/test_\w+\.cc)")
COMPILE = ["g++", "-fsyntax-only", STANDARD]
SOURCE = """\
namespace {
int fine() { return 1; }

template <typename T>
int size_of(T value) {
  return value.size();
}
}  // namespace

struct Uses {
  int lacking() { return missing(); }
};

int asks() { return size_of(3); }

int all() { return asks() + fine(); }
"""
MACRO = """\
#define LACKS() missing()
int fine() { return 1; }
int uses() { return LACKS(); }
"""
TESTS = """\
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>

#include "expect.h"

// [passes.begin]
void passes() { EXPECT(true); }
// [passes.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_passes, passes);

// [macro.begin]
#define DOUBLE(x) (2 * (x))
// [macro.end]
// [constant.begin]
constexpr int kOne = DOUBLE(1) - 1;
// [constant.end]
// [two.begin]
__attribute__((noinline)) int two() {
  return 2 * kOne;
}
// [two.end]
// [fails.begin]
void fails() { EXPECT_EQ(two(), 3); }
// [fails.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fails, fails);

// [template.begin]
template <typename T>
int member_of(T value) {
  return value.member;
}
// [template.end]
void asks() { EXPECT(member_of(3)); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_asks, asks);

// [passes_too.begin]
void passes_too() {
  EXPECT_EQ(1, 1);
  error_of([] { TVM_FFI_THROW(ValueError) << "fails"; });  // fails two ends
  const int passes = 1, fails = 2;
  EXPECT(passes < fails);
}
// [passes_too.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_passes_too, passes_too);

// [ends.begin]
void ends() { std::abort(); }
// [ends.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_ends, ends);

// [lacks.begin]
void lacks() { tvm::ffi::NoSuchFunction(); }
// [lacks.end]
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lacks, lacks);
"""


def test_only_what_does_not_compile_is_taken_out(tmp_path):
    """An error in a template removes the function that instantiates it, and its callers."""
    path = tmp_path / "a.cc"
    path.write_text(SOURCE)
    taken = compile_rest(path, COMPILE, os.environ)
    assert [(first, last) for first, last, _ in taken] == [(10, 12), (14, 14), (16, 16)]
    assert "'missing' was not declared" in taken[0][2]
    assert "'size' in 'value'" in taken[1][2]
    assert "int fine()" in path.read_text()


def test_error_in_a_macro_is_of_the_function_that_uses_it(tmp_path):
    """The macro and the rest of the file are kept."""
    path = tmp_path / "a.cc"
    path.write_text(MACRO)
    assert [each[:2] for each in compile_rest(path, COMPILE, os.environ)] == [(3, 3)]
    assert path.read_text().splitlines() == [*MACRO.splitlines()[:2], ""]


def test_missing_header_takes_the_whole_file(tmp_path):
    """Without a header, none of the file can be used."""
    path = tmp_path / "a.cc"
    path.write_text("#include <no_such_header.h>\nint f() { return 1; }\n")
    assert compile_rest(path, COMPILE, os.environ) == [
        (1, 2, "no_such_header.h: No such file or directory")
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The outcomes of TESTS with this package's headers."""
    root = tmp_path_factory.mktemp("root")
    (root / "tests" / "cpp").mkdir(parents=True)
    (root / "examples").mkdir()
    for name in ("conftest.py", "expect.h"):
        shutil.copy(ROOT / "tests" / "cpp" / name, root / "tests" / "cpp")
    (root / "tests" / "cpp" / "test_a.cc").write_text(TESTS)
    return run_cpp_tests(
        "tests/cpp/test_a.cc", sys.executable, root, flags("--cxxflags"), os.environ
    )


def test_outcomes(found):
    """A test passes, fails or ends the process; one that does not compile has no outcome."""
    outcomes = {name: each["outcome"] for name, each in found["outcomes"].items()}
    passing = dict.fromkeys(("test_passes", "test_passes_too"), "passed")
    assert outcomes == passing | {"test_fails": "failed", "test_ends": "failed"}
    assert {*found["tests"]} == {*outcomes, "test_asks", "test_lacks"}


@pytest.mark.parametrize(
    ("region", "got"),
    [
        ("passes", ""),
        ("passes_too", ""),
        ("macro", "AssertionError: check failed: two() == 3"),
        ("constant", "AssertionError: check failed: two() == 3"),
        ("template", "error: request for member 'member' in 'value'"),
        ("fails", "AssertionError: check failed: two() == 3"),
        ("two", "AssertionError: check failed: two() == 3"),
        ("ends", "crashed: SIGABRT"),
        ("lacks", "error: 'NoSuchFunction' is not a member of 'tvm::ffi'"),
    ],
)
def test_difference_of_a_region(found, region, got):
    """A region's result comes from the test that contains it or uses its definitions."""
    assert cpp_difference(TESTS, region, found).startswith(got)
    assert bool(cpp_difference(TESTS, region, found)) == bool(got)


def test_shown_files_are_found():
    """The snippet test names every C++ test that a page shows, and each of these exists."""
    pages = (path.read_text() for path in (ROOT / "docs").rglob("*.rst"))
    shown = {name for page in pages for name in SHOWN.findall(page)}
    assert len(shown) > 5
    files = shown_cpp_tests(ROOT)
    assert shown <= {*files}
    assert all((ROOT / file).is_file() for file in files)
