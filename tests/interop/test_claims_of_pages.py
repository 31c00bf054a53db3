# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""What pages say of C++ and only our headers do: one source, built with each package's headers.

Each library runs under the runtime of its headers' package.
"""

import subprocess
from pathlib import Path

import pytest
from example_runtimes import flags
from table import build
from test_our_headers import told

MIGRATING = Path(__file__).resolve().parents[1] / "snippets" / "migrating"
UTILITIES = Path(__file__).resolve().parents[2] / "examples" / "kernel_library"
SHAPES = """
struct Nothing {
  void AllocData(DLTensor*) {}
  void FreeData(DLTensor*) {}
};
static int64_t rows_of(int64_t rows, int64_t columns) {
  return ffi::Tensor::FromNDAlloc(Nothing(), {rows, columns}, {kDLFloat, 32, 1}, {kDLCPU, 0})
      .size(0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(rows_of, rows_of);
"""
SHAPES_CALLS = ("mod.rows_of(3, 2)", "mod.rows_of(-1, 2)", "mod.rows_of(2**40, 2**40) == 2**40")
# What make() gives is never freed.
DLPACK = """
static DLManagedTensorVersioned* make(uint32_t major, uint64_t flags, int64_t stride, int skipped) {
  struct Made {
    alignas(64) float data[8] = {};
    int64_t shape[1] = {2}, strides[1] = {1};
    DLManagedTensorVersioned managed{};
  };
  auto made = new Made;
  made->strides[0] = stride;
  made->managed.version = {major, 0};
  made->managed.flags = flags;
  made->managed.dl_tensor = {made->data + skipped, {kDLCPU, 0},   1, {kDLFloat, 32, 1},
                             made->shape,          made->strides, 0};
  made->managed.deleter = [](DLManagedTensorVersioned*) {};
  return &made->managed;
}
static bool takes_version(int64_t major) {
  return ffi::Tensor::FromDLPackVersioned(make(static_cast<uint32_t>(major), 0, 1, 0)).defined();
}
static bool takes_address(int64_t skipped) {
  return ffi::Tensor::FromDLPackVersioned(make(1, 0, 1, static_cast<int>(skipped)), 64).defined();
}
static bool takes_stride(int64_t stride) {
  return ffi::Tensor::FromDLPackVersioned(make(1, 0, stride, 0), 1, true).defined();
}
static bool keeps_flag() {
  auto tensor = ffi::Tensor::FromDLPackVersioned(make(1, DLPACK_FLAG_BITMASK_READ_ONLY, 1, 0));
  DLManagedTensorVersioned* exported = tensor.ToDLPackVersioned();
  const bool kept = (exported->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0;
  exported->deleter(exported);
  return kept;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(takes_version, takes_version);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(takes_address, takes_address);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(takes_stride, takes_stride);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keeps_flag, keeps_flag);
"""
DLPACK_CALLS = (
    *("mod.takes_version(1)", "mod.takes_address(0)", "mod.takes_stride(1)"),
    *("mod.takes_version(2)", "mod.takes_address(1)", "mod.takes_stride(3)", "mod.keeps_flag()"),
)
EXCEPTIONS = """
#include <new>
#include <stdexcept>
static void no_memory() { throw std::bad_alloc(); }
static void standard() { throw std::out_of_range("no such row"); }
static void number() { throw 5; }
static void registered() { TVM_FFI_THROW(OfTwoArguments) << "the message"; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(no_memory, no_memory);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(standard, standard);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(number, number);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(registered, registered);
"""
REGISTER = (
    "tvm_ffi.register_error('OfTwoArguments', "
    "type('OfTwoArguments', (Exception,), {'__init__': lambda self, a, b: None})).__name__"
)
ONE = """
static int64_t one() { return 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, one);
"""
CIRCLE = (
    "(a := tvm_ffi.load_module(__import__('shutil').copy(sys.argv[1], sys.argv[1] + '.so'))).one()",
    "mod.import_module(a)",
    "a.import_module(mod)",
)
CHECKS = """
import sys, numpy, tvm_ffi
check = tvm_ffi.load_module(sys.argv[1]).check
ones = lambda *shape, dtype="float32": numpy.ones(shape, dtype=dtype)
for x in ones(0, 2), ones(2), ones(2, 2, dtype="int32"), ones(1, 2), ones(2, 3).T, ones(13, 2):
    try:
        check(x)
    except Exception as error:
        print(f"{type(error).__name__}: {str(error).strip()}")
"""
CHECKED = (
    ("x.numel() > 0", "RuntimeError", "check: x must not be empty"),
    ("x.dim() == 2", "ValueError", "check: x must be 2-dimensional, got 1"),
    ("x.dtype() == dl_float32", "TypeError", "check: x must be float32"),
    ("x.size(0) > 1", "IndexError", "check: x has no row 1"),
    ("x.is_contiguous()", "NotImplementedError", "check: x has strides"),
)


@pytest.mark.parametrize(
    ("kind", "results"),
    [("ours", ["3", "ValueError", "MemoryError"]), ("published", ["3", "-1", "True"])],
)
def test_shapes_that_no_memory_can_hold(pythons, tmp_path, kind, results):
    """Ours refuses them; the published headers make tensors of them."""
    assert told(SHAPES, pythons, kind, tmp_path, *SHAPES_CALLS).stdout.splitlines() == results


@pytest.mark.parametrize(
    ("kind", "results"),
    [
        ("ours", [*["ValueError"] * 3, "True"]),
        ("published", ["True", "RuntimeError", "RuntimeError", "False"]),
    ],
)
def test_imports_of_dlpack(pythons, tmp_path, kind, results):
    """The major version counts, a refusal is a ValueError, and the read-only flag stays."""
    done = told(DLPACK, pythons, kind, tmp_path, *DLPACK_CALLS)
    assert done.stdout.splitlines() == [*["True"] * 3, *results], done.stderr


@pytest.mark.parametrize(("kind", "no_memory"), [("ours", "MemoryError"), ("published", "")])
def test_exceptions_of_cpp(pythons, tmp_path, kind, no_memory):
    """With the published headers only a std::exception arrives, and always as a RuntimeError."""
    calls = ("mod.no_memory()", "mod.standard()", "mod.number()")
    done = told(EXCEPTIONS, pythons, kind, tmp_path, *calls)
    first = [no_memory or "RuntimeError", "RuntimeError"]
    assert done.stdout.splitlines() == [*first, *["RuntimeError"] * (kind == "ours")]
    assert (done.returncode < 0) == (kind == "published")


@pytest.mark.parametrize(
    ("kind", "error", "message_stays"),
    [("ours", "RuntimeError", "True"), ("published", "TypeError", "False")],
)
def test_class_that_wants_more_arguments(pythons, tmp_path, kind, error, message_stays):
    """The published package raises what the class raises, and the error itself is lost."""
    calls = (REGISTER, "mod.registered()", "'the message' in words(mod.registered)")
    done = told(EXCEPTIONS, pythons, kind, tmp_path, *calls)
    assert done.stdout.splitlines() == ["OfTwoArguments", error, message_stays]


@pytest.mark.parametrize(
    ("kind", "results"),
    [("ours", ["1", "None", "ValueError"]), ("published", ["1", "None", "RuntimeError"])],
)
def test_modules_in_a_circle(pythons, tmp_path, kind, results):
    """Both refuse it, each with an error of its own."""
    assert told(ONE, pythons, kind, tmp_path, *CIRCLE).stdout.splitlines() == results


@pytest.mark.parametrize("kind", ["ours", "published"])
def test_checks_of_a_migrated_library(pythons, tmp_path, kind):
    """The published headers put the condition before the message, and know fewer kinds."""
    source = tmp_path / "library.cc"
    text = (MIGRATING / "library.cc").read_text()
    source.write_text(text.replace('"tvm_ffi_utils.h"', f'"{UTILITIES}/tvm_ffi_utils.h"'))
    assert build(source, pythons[kind], tmp_path) == ""
    command = [pythons[kind], "-c", CHECKS, str(tmp_path / "library.so")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if kind == "ours":
        expected = [f"{error}: {message}" for _, error, message in CHECKED]
    else:
        expected = [
            f"{error.replace('NotImplemented', 'Runtime')}: "
            f"Check failed: ({condition}) is false: {message}"
            for condition, error, message in CHECKED
        ]
    assert done.stdout.splitlines() == [*expected, "ValueError: check: x has 13 rows"]


@pytest.mark.parametrize(
    ("kind", "language", "status"),
    [("ours", "c", 0), ("published", "c", 1), ("ours", "c++", 0), ("published", "c++", 0)],
)
def test_contents_of_objects_in_c(pythons, kind, language, status):
    """The published header declares the functions that give an object's contents for C++ only."""
    source = UTILITIES.parents[1] / "tests" / "snippets" / "abi_contents.c"
    standard = {"c": "c99", "c++": "c++17"}[language]
    command = ["gcc", f"-x{language}", f"-std={standard}", "-fsyntax-only", "-Werror"]
    includes = [word for word in flags(pythons[kind], "--cxxflags") if word.startswith("-I")]
    done = subprocess.run([*command, *includes, source], capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert ("TVMFFIObjectGetTypeIndex" in done.stderr) == bool(status)
