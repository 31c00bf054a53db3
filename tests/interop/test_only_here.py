# SPDX-License-Identifier: Apache-2.0
# Rows: R2, R5, R6
"""What this runtime alone has, in libraries that run under the published one."""

import subprocess
import sys
from pathlib import Path

import pytest
from table import build

HERE = Path(__file__).resolve().parent
ONLY_HERE = HERE / "only_here_library.cc"
LATER = HERE / "later_library.cc"
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "examples/kernel_library"
SCALE = EXAMPLES / "scale/scale_kernel.cc"
STORAGE = EXAMPLES / "storage/storage_kernel.cc"
ALLOCATORS = EXAMPLES / "allocators/allocators_kernel.cc"
ALLOCATION = HERE.parent / "cpp" / "allocation_library.cc"

NO_STORE = (
    "storage: expected a runtime that has a store, got one without the global function "
    '"ffi.StorageGet"'
)
USE_STORAGE = """
import sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
for x in (1, 2):
    try:
        print(module.remember(x))
    except RuntimeError as error:
        print(str(error).strip())
print(module.add_one(41))
"""
HISTOGRAM = """
import sys, numpy, tvm_ffi
histogram = tvm_ffi.load_module(sys.argv[1]).histogram
counts = numpy.zeros(3, dtype="int64")
for x in ([0, 2, 2], [1, 1, 1]):
    try:
        histogram(numpy.array(x), counts)
    except RuntimeError as error:
        print(str(error).strip())
    print(counts.tolist())
try:
    histogram(numpy.zeros(3), counts)
except TypeError as error:
    print(str(error).strip())
"""
NAMES = """
import sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1])
print(module.subtract(5, 3))
try:
    print(module.subtract(y=5, x=3))
except TypeError:
    print("TypeError")
"""
MACRO = "TVM_FFI_DLL_EXPORT_TYPED_FUNC_ARG_NAMES"
NAMED = """
#include <tvm/ffi/function.h>
double grow(double x, double factor) { return x * factor; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(grow, grow);
"""
NAMES_OF_GROW = f'{MACRO}(grow, "x", "factor");'
NO_MACRO = (
    "named.cc:6:40: error: expected constructor, destructor, or type conversion before '(' token"
)
GROW = """
import sys, tvm_ffi
print(tvm_ffi.load_module(sys.argv[1]).grow(2.0, 3.0))
"""
ERRORS = """
import tvm_ffi
class Mine(Exception):
    pass
def through(raised):
    def fail():
        raise raised
    try:
        tvm_ffi.convert(fail)()
    except Exception as error:
        return type(error).__name__, error is raised
for raised in (KeyError("mine"), Mine("mine")):
    print(*through(raised), tvm_ffi.convert(raised).py_error() is raised)
"""
PYTHON = """
import ctypes, numpy, tvm_ffi
frozen = numpy.zeros(2)
frozen.flags.writeable = False
function = tvm_ffi.convert(lambda x: x)

address = ctypes.pythonapi.PyCapsule_GetPointer
address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
class OnGpu:
    def __dlpack_device__(self):
        return (2, 0)
    def __dlpack__(self, **options):
        capsule = numpy.zeros(2).__dlpack__()
        ctypes.c_int32.from_address(address(capsule, b"dltensor") + 8).value = 2
        return capsule
    def __tvm_ffi_env_stream__(self):
        return 0x99
current = tvm_ffi.convert(lambda x: tvm_ffi.get_raw_stream(tvm_ffi.device("cuda", 0)))

for feature in (
    lambda: numpy.asarray(tvm_ffi.from_dlpack(numpy.zeros(2))).ndim == 1,
    lambda: tvm_ffi.from_dlpack(frozen, allow_read_only=True).read_only,
    lambda: function.trusted is False,
    lambda: issubclass(tvm_ffi.InternalError, Exception),
    lambda: current(OnGpu()) == 0x99,
    lambda: list(reversed(tvm_ffi.Map({1: 2}))) == [1],
    lambda: list(reversed(tvm_ffi.Array([1]))) == [1],  # in both
):
    try:
        print(feature())
    except Exception as error:
        print(type(error).__name__)
"""
CONTAINERS = """
import gc, weakref
from tvm_ffi import Array, Dict, List, Map, convert
class Owner:
    def __init__(self):
        self.function = convert(self.run)
    def run(self):
        return 5
def cycle_is_found():
    owner = Owner()
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    return gone() is None
def updated():
    made = Dict({})
    made.update([("a", 1)], b=2)
    return dict(made.items()) == {"a": 1, "b": 2}
nan = float("nan")
for feature in (
    lambda: Map({"a": 1}) == {"a": 1},
    lambda: Map({"a": 1}) == Dict({"a": 1}),
    lambda: hash(Array([1, 2])) == hash((1, 2)),
    lambda: hash(Array([1, 2])) == hash(List([1, 2])),
    updated,
    lambda: list(List([1]).copy()) == [1],
    lambda: Dict({1: 2}).copy()[1] == 2,
    lambda: list(reversed(Map({1: 2}))) == [1],
    lambda: list(reversed(Dict({1: 2}))) == [1],
    lambda: weakref.ref(convert(len)) is not None,
    cycle_is_found,
    lambda: hash(Array([nan])) == hash((nan,)),  # in neither
):
    try:
        print(feature())
    except Exception as error:
        print(type(error).__name__)
"""
STRIDED = """
import sys, tvm_ffi
tensor = tvm_ffi.load_module(sys.argv[1]).strided()
print(tuple(tensor.shape), tuple(tensor.strides))
"""
MISSING = """
import sys, tvm_ffi
try:
    module = tvm_ffi.load_module(sys.argv[1])
except OSError as error:
    sys.exit(str(error))
print(module.one(), flush=True)
module.later()
"""
# The last owner goes when no module of the library is left.
OUTLIVE = """
import ctypes, gc, sys, tvm_ffi
is_loaded = lambda: sys.argv[1] in open("/proc/self/maps").read()
freed = ctypes.c_int(0)
module = tvm_ffi.load_module(sys.argv[1], keep_module_alive=False)
tensor = module.make(ctypes.c_void_p(ctypes.addressof(freed)))
del module
gc.collect()
print(tuple(tensor.shape), is_loaded(), freed.value)
del tensor
gc.collect()
print(is_loaded(), freed.value)
"""

KEEPS = """
import gc, os, sys, tvm_ffi
function = tvm_ffi.load_module(sys.argv[1], keep_module_alive=False).adder(1)
gc.collect()
print(sys.argv[1] in open("/proc/self/maps").read(), flush=True)
os._exit(0)
"""

# Ends before the tensor is freed, as nothing is left to free it.
LEFT_ALONE = """
import gc, os, sys, tvm_ffi
module = tvm_ffi.load_module(sys.argv[1], keep_module_alive=False)
tensor = module.empty((3,), tvm_ffi.dtype("float32"), tvm_ffi.device("cpu"))
del module
gc.collect()
print(sys.argv[1] in open("/proc/self/maps").read(), flush=True)
os._exit(0)
"""


MOVED = """
import tvm_ffi
class Moved(tvm_ffi.Function):
    def __init__(self, function):
        self.__move_handle_from__(function)
    __call__ = tvm_ffi.Function.__call__
function = tvm_ffi.convert(lambda x: x + 1)
print(Moved(function)(1), flush=True)
print(function(1))
"""


def run(python: str, code: str, *arguments: str) -> list[str]:
    """Run code and give the lines that it prints."""
    command = [python, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def built(source: Path, folder: Path) -> str:
    """The library of a source, built with our headers."""
    assert build(source, sys.executable, folder) == ""
    return str(folder / f"{source.stem}.so")


def test_store_is_refused_with_its_name(pythons, tmp_path):
    """Without a store its use is an error that says so, and the rest of the library works."""
    library = built(ONLY_HERE, tmp_path)
    assert run(pythons["ours"], USE_STORAGE, library) == ["1", "1", "42"]
    assert run(pythons["published"], USE_STORAGE, library) == [NO_STORE, NO_STORE, "42"]


def test_kernel_with_a_kept_workspace(pythons, tmp_path):
    """Without a store the example says so and writes nothing; what it refuses, it refuses alike."""
    assert build(STORAGE, sys.executable, tmp_path) == ""
    library = str(tmp_path / "storage_kernel.so")
    refused = "histogram: x must be uint8, int32 or int64, got float64"
    ours = ["[1, 0, 2]", "[0, 3, 0]", refused]
    assert run(pythons["ours"], HISTOGRAM, library) == ours
    theirs = [NO_STORE, "[0, 0, 0]", NO_STORE, "[0, 0, 0]", refused]
    assert run(pythons["published"], HISTOGRAM, library) == theirs


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_a_kernel_library_exports_cpp_names_with_the_published_headers(pythons, tmp_path, headers):
    """With ours it exports its functions; with theirs, C++ names of the kernel and of TVM FFI."""
    assert build(SCALE, pythons[headers], tmp_path) == ""
    command = ["nm", "-DC", "--defined-only", str(tmp_path / "scale_kernel.so")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    cpp = [line for line in told.splitlines() if "tvm::ffi::" in line]
    kernels = [line for line in cpp if " scaled(tvm::ffi::TensorView" in line]
    assert "__tvm_ffi_scaled" in told
    assert (len(cpp) > 10, len(kernels)) == ((False, 0) if headers == "ours" else (True, 1))


@pytest.mark.parametrize(
    ("runtime", "ended", "printed"), [("ours", 1, ""), ("published", 127, "1\n")]
)
def test_a_function_that_the_runtime_lacks(pythons, tmp_path, runtime, ended, printed):
    """Ours refuses the library; the published runtime ends the process at the first call."""
    library = built(LATER, tmp_path)
    command = [pythons[runtime], "-c", MISSING, library]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (ended, printed)
    assert done.stderr.strip().endswith("undefined symbol: TVMFFIOfALaterVersion")


@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_tensor_outlives_its_module(pythons, tmp_path, runtime):
    """Freed after its module, a tensor of a custom allocator finds its code in place."""
    library = built(ALLOCATION, tmp_path)
    assert run(pythons[runtime], OUTLIVE, library) == ["(3,) True 0", "True 1"]


@pytest.mark.parametrize("headers", ["ours", "published"])
@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_our_headers_keep_the_library_of_a_tensor(pythons, tmp_path, headers, runtime):
    """A library stays loaded for its tensor; one built with the published headers does not."""
    assert build(ALLOCATORS, pythons[headers], tmp_path) == ""
    library = str(tmp_path / "allocators_kernel.so")
    assert run(pythons[runtime], LEFT_ALONE, library) == [str(headers == "ours")]


@pytest.mark.parametrize("headers", ["ours", "published"])
@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_only_here_a_function_keeps_its_library(pythons, tmp_path, headers, runtime):
    """A function made from a lambda keeps a library of our headers loaded."""
    source = HERE / "lambda_library.cc"
    assert build(source, pythons[headers], tmp_path) == ""
    kept = headers == "ours"
    library = str(tmp_path / "lambda_library.so")
    assert run(pythons[runtime], KEEPS, library) == [str(kept)]


@pytest.mark.parametrize("runtime", ["ours", "published"])
def test_strided_allocation(pythons, tmp_path, runtime):
    """Any environment's allocator gives strided tensors."""
    library = built(ONLY_HERE, tmp_path)
    assert run(pythons[runtime], STRIDED, library) == ["(3, 2) (1, 4)"]


@pytest.mark.parametrize(("runtime", "by_keyword"), [("ours", "-2"), ("published", "TypeError")])
def test_names_of_parameters(pythons, tmp_path, runtime, by_keyword):
    """A library that names its parameters is called by position everywhere, by keyword here."""
    library = built(ONLY_HERE, tmp_path)
    assert run(pythons[runtime], NAMES, library) == ["2", by_keyword]


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_source_for_both_tests_for_the_macro_of_names(pythons, tmp_path, monkeypatch, headers):
    """Without the macro g++ gives the message that the page on troubleshooting explains."""
    monkeypatch.setenv("LC_ALL", "C")
    plain, guarded = tmp_path / "named.cc", tmp_path / "guarded.cc"
    plain.write_text(f"{NAMED}\n{NAMES_OF_GROW}\n")
    guarded.write_text(f"{NAMED}#ifdef {MACRO}\n{NAMES_OF_GROW}\n#endif\n")
    message = build(plain, pythons[headers], tmp_path)
    assert message == ("" if headers == "ours" else NO_MACRO)
    assert NO_MACRO in (ROOT / "docs/guides/troubleshooting.rst").read_text().splitlines()
    assert build(guarded, pythons[headers], tmp_path) == ""
    for runtime in pythons.values():
        assert run(runtime, GROW, str(tmp_path / "guarded.so")) == ["6.0"]


def test_exceptions_that_come_back(pythons):
    """The same object comes back here; elsewhere another one, of a known class at most."""
    assert run(pythons["ours"], ERRORS) == ["KeyError True True", "Mine True True"]
    assert run(pythons["published"], ERRORS) == ["KeyError False False", "RuntimeError False False"]


def test_what_python_has_here_alone(pythons):
    """NumPy reads a tensor, read-only tensors are taken, a class tells its stream."""
    assert run(pythons["ours"], PYTHON) == ["True"] * 7
    assert run(pythons["published"], PYTHON) == [
        *("False", "TypeError", "AttributeError", "AttributeError", "False", "TypeError"),
        "True",
    ]


def test_containers_and_functions_in_python(pythons):
    """Containers compare, hash and copy as Python's do; functions can be collected."""
    assert run(pythons["ours"], CONTAINERS) == ["True"] * 11 + ["False"]
    assert run(pythons["published"], CONTAINERS) == [
        *["False"] * 4,
        *("TypeError", "AttributeError", "AttributeError", "TypeError", "TypeError", "TypeError"),
        *["False"] * 2,
    ]


@pytest.mark.parametrize(("runtime", "printed"), [("ours", ["2", "2"]), ("published", ["2"])])
def test_the_source_of_a_moved_handle(pythons, runtime, printed):
    """The published package leaves the source empty, and a call to it ends the process."""
    command = [pythons[runtime], "-c", MOVED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == printed
    assert (done.returncode < 0) == (runtime == "published")
