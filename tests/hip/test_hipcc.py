# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R5
"""The kernel for AMD GPUs on the page on profiling, compiled by hipcc; nothing runs on a GPU."""

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi.libinfo import find_include_path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests/snippets/hip/scale_hip.cc"
UTILITIES = ROOT / "examples/kernel_library/tvm_ffi_utils.h"
REFUSED = ROOT / "tests/snippets/captured/hip_refused.txt"

pytestmark = pytest.mark.skipif(not shutil.which("hipcc"), reason="hipcc is not installed")


def build(folder, architecture):
    """Type the command in the source's comment, for an architecture."""
    for path in (SOURCE, UTILITIES):
        shutil.copy(path, folder)
    lines = re.search(r"// (hipcc .*)\n//(.*)\n", SOURCE.read_text())
    command = "".join(lines.groups()).replace("gfx90a", architecture)
    scripts = f'export PATH="{Path(sys.executable).parent}:$PATH"; '
    return subprocess.run(
        ["bash", "-c", scripts + command], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The library of the command on the page."""
    folder = tmp_path_factory.mktemp("hipcc")
    done = build(folder, "gfx90a")
    assert done.returncode == 0, done.stderr
    return folder / "scale_hip.so"


def run(library, program):
    """Run a program with the library in a process of its own, and return the error it ends with.

    HIP's library needs static TLS space, of which a process with many libraries may have none left.
    """
    start = f"""
        import sys
        sys.path.append({str(ROOT / "tests/examples")!r})
        import numpy
        import tvm_ffi
        from producer import FLOAT32, Producer
        mod = tvm_ffi.load_module({str(library)!r})
    """
    whole = textwrap.dedent(start) + textwrap.dedent(program)
    done = subprocess.run(
        [sys.executable, "-c", whole], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done
    return done.stderr.splitlines(keepends=True)[-1]


def targets(library):
    """The GPUs for which a library has code, by the tool in the package of hipcc."""
    listed = subprocess.check_output(["roc-obj-ls", library], text=True)
    return re.findall(r"amdgcn-amd-amdhsa--(\w+)\s.*&size=[1-9]", listed)


def test_code_and_library(library):
    """The library has code for the GPU, and needs HIP's library."""
    assert targets(library) == ["gfx90a"]
    told = subprocess.check_output(["readelf", "-d", library], text=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
    assert "libtvm_ffi.so" in needed
    assert [name for name in needed if name.startswith("libamdhip64.so.")]


def test_loads_without_a_gpu(library):
    """It loads without a GPU and a driver, has its function, and refuses a tensor on the CPU."""
    told = run(
        library,
        """
        assert mod.implements_function("scale")
        x = numpy.zeros(3, "float32")
        empty = Producer(x, 0, FLOAT32, device=(10, 0))
        mod.scale(empty, empty, 2.0)
        mod.scale(x, x, 2.0)
        """,
    )
    assert told == REFUSED.read_text()


def test_static_tls(library):
    """HIP's library needs static TLS, which may run out before it is loaded."""
    told = subprocess.check_output(["ldd", library], text=True)
    path = re.search(r"libamdhip64\S* => (\S+)", told).group(1)
    assert "STATIC_TLS" in subprocess.check_output(["readelf", "-dW", path], text=True)


@pytest.mark.skipif(Path("/dev/kfd").exists(), reason="this machine may have an AMD GPU")
def test_call_without_a_gpu(library):
    """Where there is no GPU, HIP's first error is raised."""
    told = run(
        library,
        """
        x = Producer(numpy.zeros(3, "float32"), 3, FLOAT32, device=(10, 0))
        mod.scale(x, x, 2.0)
        """,
    )
    assert re.match(r"RuntimeError: scale: \w", told), told


def test_without_the_library_of_hip(library, tmp_path):
    """It does not load where the loader finds no HIP library, and the error names that library."""
    other = tmp_path / "scale_hip.so"
    other.write_bytes(re.sub(rb"libamdhip64\.so\.\d", b"libamdhip64.so.X", library.read_bytes()))
    with pytest.raises(OSError, match=r"libamdhip64\.so\.X: cannot open shared object file"):
        tvm_ffi.load_module(other)


@pytest.mark.parametrize("architecture", ["gfx908", "gfx1030"])
def test_other_gpus(tmp_path, architecture):
    """It compiles for earlier GPUs too."""
    done = build(tmp_path, architecture)
    assert done.returncode == 0, done.stderr
    assert targets(tmp_path / "scale_hip.so") == [architecture]


def test_too_new_for_this_version(tmp_path):
    """Version 5.2 has no device library for a later GPU, and does not know another."""
    if "HIP version: 5.2." not in subprocess.check_output(["hipcc", "--version"], text=True):
        pytest.skip("this hipcc is not version 5.2")
    done = build(tmp_path, "gfx1100")
    assert "cannot find ROCm device library for gfx1100" in done.stderr
    assert "invalid target ID 'gfx942'" in build(tmp_path, "gfx942").stderr


def compile_only(folder, source):
    """Let hipcc parse a source, as HIP, for the host and a GPU."""
    (folder / "source.cc").write_text(f"#include <hip/hip_runtime.h>\n{source}")
    command = f"hipcc -fsyntax-only -std=c++17 --offload-arch=gfx90a -I{find_include_path()}"
    words = [*shlex.split(command), "-Wall", "-Wextra", "-Wconversion", "source.cc"]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)


KERNEL = "__global__ void fill(float* x) { *x = 1; }\n"


def test_headers(tmp_path):
    """The headers compile next to a kernel, without a warning."""
    names = ("tvm_ffi", "container/tensor", "function", "extra/c_env_api")
    text = "".join(f"#include <tvm/ffi/{name}.h>\n" for name in names)
    done = compile_only(tmp_path, text + KERNEL)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if "source.cc" in line] == []
    assert "tvm/ffi" not in done.stderr


@pytest.mark.parametrize("name", ["base", "device_guard", "cubin_launcher"])
def test_headers_for_cuda(tmp_path, name):
    """Those for CUDA include a header of CUDA's."""
    done = compile_only(tmp_path, f"#include <tvm/ffi/extra/cuda/{name}.h>\n{KERNEL}")
    assert done.returncode != 0
    assert re.search(r"fatal error: 'cuda\w*\.h' file not found", done.stderr), done.stderr


def test_kernels_for_cuda(tmp_path):
    """An example's CUDA kernel does not compile as HIP: the guard, for one, is missing."""
    kernel = ROOT / "examples/kernel_library/scale/scale_kernel.cu"
    done = compile_only(tmp_path, f'#include "{kernel}"\n')
    assert done.returncode != 0
    assert re.search("error: .*CUDADeviceGuard", done.stderr), done.stderr
