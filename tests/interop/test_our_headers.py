# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R7
"""What our headers have and the published ones do not, or do otherwise, shown by small libraries.

Unless a test names another runtime, each library runs under the one of its headers' package.
"""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from table import build

KINDS = ("ours", "published")
HEAD = """
#include <tvm/ffi/tvm_ffi.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;
"""
# Prints what each expression gives, or the kind of its error.
PRINT = """
import copy, inspect, sys, weakref
import tvm_ffi
mod = tvm_ffi.load_module(sys.argv[1])
def words(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return str(error)
class Box(tvm_ffi.Object):
    pass
try:
    tvm_ffi.register_object("page.Box")(Box)
except ValueError:
    pass  # most libraries have no such type
for expression in sys.argv[2:]:
    try:
        print(eval(expression))
    except Exception as error:
        print(type(error).__name__)
"""
OPTIONAL = """
static int64_t plus(int64_t x, ffi::Optional<int64_t> y) { return x + y.value_or(1); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plus, plus);
"""
STL = """
static int64_t sum(std::array<int64_t, 2> x) { return x[0] + x[1]; }
static int64_t first(std::tuple<int64_t, int64_t> x) { return std::get<0>(x); }
static int64_t size(std::map<ffi::String, int64_t> x) { return static_cast<int64_t>(x.size()); }
static int64_t plus(int64_t x, std::optional<int64_t> y) { return x + y.value_or(1); }
static int64_t second(ffi::Tuple<int64_t, int64_t> x) { return x.get<1>(); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(second, second);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, sum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(first, first);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(size, size);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(plus, plus);
"""
STL_CALLS = (
    "mod.sum(tvm_ffi.List([1, 2]))",
    "mod.first(tvm_ffi.List([1, 2]))",
    "mod.size(tvm_ffi.Dict({'a': 1}))",
    "mod.plus(2)",
    "mod.second(tvm_ffi.List([1, 2]))",
)
THROWS = """
TVM_FFI_STATIC_INIT_BLOCK() { TVM_FFI_THROW(ValueError) << "while it loads"; }
static int64_t one() { return 1; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, one);
"""
NAMED = """
static double half(double x) { return x / 2; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(half, half);
TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(half, "x / 2");
"""
ALIGNED = """
class alignas(256) WideObj : public ffi::Object {
 public:
  char content[300];
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("page.Wide", WideObj, ffi::Object);
};
static int64_t misaligned() {
  int64_t count = 0;
  std::vector<ffi::ObjectPtr<WideObj>> kept;
  for (int i = 0; i < 16; ++i) {
    kept.push_back(ffi::make_object<WideObj>());
    count += reinterpret_cast<uintptr_t>(kept.back().get()) % 256 != 0;
  }
  return count;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(misaligned, misaligned);
"""
ALLOCATOR = """
static int64_t calls = 0;
static void* allocate(size_t size, size_t, int32_t, void*) {
  ++calls;
  void* body = static_cast<char*>(std::malloc(size + 64)) + 64;
  static_cast<TVMFFIObjectAllocHeader*>(body)[-1].delete_space = [](void* object) {
    std::free(static_cast<char*>(object) - 64);
  };
  return body;
}
class EmptyObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("page.Empty", EmptyObj, ffi::Object);
};
int main() {
  TVMFFICustomAllocator own{allocate, nullptr};
  TVMFFISetCustomAllocator(&own);
  ffi::make_object<EmptyObj>();
  return calls == 1 ? 0 : 1;
}
"""
REFUSED = "words(mod.half, [1.0]).splitlines()[0].rpartition(' got ')[2].strip('`')"
DELETER = """
static int call(void*, const TVMFFIAny*, int32_t, TVMFFIAny* result) {
  result->type_index = kTVMFFINone;
  return 0;
}
static int64_t drop() {
  TVMFFIObjectHandle made = nullptr;
  TVMFFIFunctionCreate(nullptr, call, [](void*) { throw 1; }, &made);
  TVMFFIObjectDecRef(made);
  return 1;
}
static int64_t drop_opaque() {
  static int kept;
  TVMFFIObjectHandle made = nullptr;
  TVMFFIObjectCreateOpaque(&kept, kTVMFFIOpaquePyObject, [](void*) { throw 1; }, &made);
  TVMFFIObjectDecRef(made);
  return 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(drop, drop);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(drop_opaque, drop_opaque);
"""
FIELDS = """
class PointObj : public ffi::Object {
 public:
  int64_t x = 1;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("page.Point", PointObj, ffi::Object);
};
class OtherObj : public ffi::Object {
 public:
  int64_t y = 1;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("page.Other", OtherObj, ffi::Object);
};
TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<PointObj>().def_ro("x", &PointObj::x);
  refl::ObjectDef<OtherObj>().def_rw("y", &OtherObj::y);
}
static int64_t write() {
  auto point = ffi::make_object<PointObj>();
  refl::FieldSetter("page.Point", "x")(point.get(), ffi::Any(2));
  return point->x;
}
static int64_t mistake() {
  auto point = ffi::make_object<PointObj>();
  refl::FieldSetter("page.Other", "y")(point.get(), ffi::Any(3));
  return point->x;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(write, write);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(mistake, mistake);
"""
VIEWS = """
static int64_t kept_offset() {
  float data[] = {1, 2};
  int64_t shape[] = {1}, strides[] = {1};
  DLTensor tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, strides, 4};
  return static_cast<int64_t>(ffi::TensorView(&tensor).byte_offset());
}
static bool has_strides() {
  float data[] = {1, 2};
  int64_t shape[] = {2};
  DLTensor tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  auto see = ffi::Function::FromTyped(
      [](ffi::TensorView x) { return x.strides().data() != nullptr; });
  return see(&tensor).cast<bool>();
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(kept_offset, kept_offset);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(has_strides, has_strides);
"""
# CUDA's runtime here is these functions; the folder of the fake one has the header.
LAST_ERROR = """
#include <tvm/ffi/extra/cuda/base.h>
static cudaError_t last = cudaSuccess;
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
cudaError_t cudaDeviceSynchronize() { return last = cudaErrorInvalidValue; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
const char* cudaGetErrorString(cudaError_t) { return "a fake error"; }
static void synchronize() { TVM_FFI_CHECK_CUDA_ERROR(cudaDeviceSynchronize()); }
static int64_t launch() {
  TVM_FFI_CHECK_CUDA_ERROR(cudaGetLastError());
  return 1;
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(synchronize, synchronize);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(launch, launch);
"""
FAKE_CUDA = Path(__file__).resolve().parents[1] / "examples" / "fake_cuda"
BOX = """
class BoxObj : public ffi::Object {
 public:
  explicit BoxObj(int64_t x) : x(x), shown_by_no_field(2 * x) {}
  int64_t x, shown_by_no_field;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("page.Box", BoxObj, ffi::Object);
};
class Box : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Box, ffi::ObjectRef, BoxObj);
};
static int64_t hidden(Box box) { return box->shown_by_no_field; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(hidden, hidden);
TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<BoxObj>().def(refl::init<int64_t>()).def_rw("x", &BoxObj::x);
}
"""
BOX_CALLS = (
    "weakref.ref(Box(3)) is not None",
    "mod.hidden(copy.copy(Box(3)))",
    "'Box.x' in words(setattr, Box(3), 'x', 'y')",
)


def built(text: str, python: str, folder: Path) -> str:
    """Build a text with an interpreter's headers; the first error, if any."""
    source = folder / "text.cc"
    source.write_text(text if HEAD in text else HEAD + text)
    return build(source, python, folder)


def answer(python: str, *options: str) -> str:
    """What an interpreter's package answers to options of tvm-ffi-config."""
    command = [python, "-m", "tvm_ffi.config", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def told(text, pythons, kind, folder, *expressions, runtime=""):
    """What expressions give with a library of one kind, line by line."""
    assert built(text, pythons[kind], folder) == ""
    command = [pythons[runtime or kind], "-c", PRINT, str(folder / "text.so"), *expressions]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("auto made = &ffi::Tensor::FromEnvAllocStrided;", "FromEnvAllocStrided"),
        ("TVM_FFI_DLL_EXPORT_TYPED_FUNC(one, [] { return 1; });", "lambda-expression"),
        (
            "auto f = ffi::Function::FromTyped([](std::pair<int, int> x) { return x.first; });",
            "function signature",
        ),
        ("bool f(ffi::TensorView x) { return x.IsAligned(64); }", "IsAligned"),
        ("const ffi::TensorObj* f(const ffi::Tensor& x) { return x.get(); }", "protected"),
    ],
    ids=["strided", "lambda", "pair", "aligned", "object"],
)
def test_what_only_our_headers_have(pythons, tmp_path, text, name):
    """It compiles with ours and not with the published ones."""
    assert built(text, pythons["ours"], tmp_path) == ""
    said = built(text, pythons["published"], tmp_path)
    assert said
    assert name in said


@pytest.mark.parametrize("runtime", KINDS)
@pytest.mark.parametrize(("kind", "left_out"), [("ours", "3"), ("published", "TypeError")])
def test_optional_arguments(pythons, tmp_path, kind, left_out, runtime):
    """A trailing one may be left out with our headers, under either runtime; None always works."""
    calls = ("mod.plus(2)", "mod.plus(2, None)")
    done = told(OPTIONAL, pythons, kind, tmp_path, *calls, runtime=runtime)
    assert done.stdout.splitlines() == [left_out, "3"]


@pytest.mark.parametrize(
    ("kind", "results"), [("ours", ["3", "1", "1", "3", "2"]), ("published", ["TypeError"] * 5)]
)
def test_containers_of_the_standard_library(pythons, tmp_path, kind, results):
    """A List and a Dict are taken for them, and a trailing std::optional may be left out."""
    assert told(STL, pythons, kind, tmp_path, *STL_CALLS).stdout.splitlines() == results


def test_error_while_loading(pythons, tmp_path):
    """Ours raises it; under the published runtime a library of ours says it on stderr, and loads.

    One of the published headers ends the process, under either runtime.
    """
    done = told(THROWS, pythons, "ours", tmp_path, "mod.one()")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "ValueError: while it loads"
    command = ["-c", PRINT, str(tmp_path / "text.so"), "mod.one()"]
    done = subprocess.run([pythons["published"], *command], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "ValueError: while it loads" in done.stderr
    for runtime in KINDS:
        done = told(THROWS, pythons, "published", tmp_path, "mod.one()", runtime=runtime)
        assert done.returncode < 0


@pytest.mark.parametrize("runtime", KINDS)
@pytest.mark.parametrize("kind", KINDS)
def test_type_of_an_argument(pythons, tmp_path, kind, runtime):
    """Both ours together name the caller's type; any other pair names what C++ got."""
    done = told(NAMED, pythons, kind, tmp_path, REFUSED, runtime=runtime)
    said = done.stdout.strip()
    if (kind, runtime) == ("ours", "ours"):
        assert said == "list"
    else:
        assert said in ("Array", "ffi.Array")


def test_signature_of_a_function(pythons, tmp_path):
    """Ours tells it to ``inspect`` and has its documentation."""
    calls = ("str(inspect.signature(mod.half))", "mod.half.__doc__ == 'x / 2'")
    text = "#define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA 1\n" + HEAD + NAMED
    for kind, results in (
        ("ours", ["(arg0: 'float', /) -> 'float'", "True"]),
        ("published", ["ValueError", "False"]),
    ):
        assert told(text, pythons, kind, tmp_path, *calls).stdout.splitlines() == results


@pytest.mark.parametrize(
    ("kind", "results"),
    [("ours", ["0", "True", "False"]), ("published", ["4", "RuntimeError", "True"])],
)
def test_views_of_a_tensor(pythons, tmp_path, kind, results):
    """Ours adds the byte offset to the address, and gives a parameter the strides that it lacks."""
    missing = "'strides != nullptr' in str(words(mod.has_strides))"
    calls = ("mod.kept_offset()", "mod.has_strides()", missing)
    assert told(VIEWS, pythons, kind, tmp_path, *calls).stdout.splitlines() == results


@pytest.mark.parametrize("runtime", KINDS)
def test_alignment_of_objects(pythons, tmp_path, runtime):
    """An object of ours is aligned as its type says, also by an allocator that does not align."""
    done = told(ALIGNED, pythons, "ours", tmp_path, "mod.misaligned()", runtime=runtime)
    assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr


@pytest.mark.parametrize("runtime", KINDS)
@pytest.mark.parametrize("options", ["-fno-pic -no-pie", "-fpie -pie"])
def test_allocator_of_a_program(pythons, tmp_path, options, runtime):
    """A program linked with our runtime asks the allocator of the one that it runs with."""
    source = tmp_path / "program.cc"
    source.write_text(HEAD + ALLOCATOR)
    flags = answer(pythons["ours"], "--cxxflags", "--ldflags", "--libs")
    line = f"g++ {options} {source} -o {tmp_path / 'program'} {flags}"
    subprocess.run(shlex.split(line), check=True)
    env = {**os.environ, "LD_LIBRARY_PATH": answer(pythons[runtime], "--libdir").strip()}
    assert subprocess.run([tmp_path / "program"], env=env, check=False).returncode == 0


@pytest.mark.parametrize("call", ["mod.drop()", "mod.drop_opaque()"])
def test_deleter_that_throws(pythons, tmp_path, call):
    """Ours says so and goes on; the published runtime ends the process."""
    done = told(DELETER, pythons, "ours", tmp_path, call)
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "ignored" in done.stderr
    assert told(DELETER, pythons, "published", tmp_path, call).returncode < 0


@pytest.mark.parametrize(("kind", "launched"), [("ours", "1"), ("published", "RuntimeError")])
def test_launch_after_a_failed_call(pythons, tmp_path, monkeypatch, kind, launched):
    """The published headers throw the error of a failed call again after the next launch."""
    monkeypatch.setenv("CPATH", str(FAKE_CUDA))
    done = told(LAST_ERROR, pythons, kind, tmp_path, "mod.synchronize()", "mod.launch()")
    assert done.stdout.splitlines() == ["RuntimeError", launched], done.stderr


def test_fields_that_may_not_be_written(pythons, tmp_path):
    """The published headers write a read-only field, and one of another type."""
    calls = ("mod.write()", "mod.mistake()")
    done = told(FIELDS, pythons, "ours", tmp_path, *calls)
    assert done.stdout.splitlines() == ["TypeError", "TypeError"], done.stderr
    done = told(FIELDS, pythons, "published", tmp_path, *calls)
    assert done.stdout.splitlines() == ["2", "3"], done.stderr


@pytest.mark.parametrize(
    ("kind", "results"),
    [("ours", ["True", "6", "True"]), ("published", ["TypeError", "TypeError", "False"])],
)
def test_objects_in_python(pythons, tmp_path, kind, results):
    """Weak references, copies of what no field shows, and errors that name the field."""
    assert told(BOX, pythons, kind, tmp_path, *BOX_CALLS).stdout.splitlines() == results


@pytest.mark.parametrize(
    ("call", "error"),
    [("mod.hidden(Box.__new__(Box))", "ValueError"), ("Box.__new__(Box).x", "TypeError")],
)
@pytest.mark.parametrize("kind", KINDS)
def test_object_that_was_never_made(pythons, tmp_path, kind, call, error):
    """Ours says so; the published package ends the process."""
    done = told(BOX, pythons, kind, tmp_path, call, "1 + 1")
    assert done.stdout.splitlines() == ([error, "2"] if kind == "ours" else [])
    assert (done.returncode < 0) == (kind == "published")
