# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""CUBINs compiled from source text with NVRTC, which needs neither nvcc nor a GPU."""

import sys

import builds
import pytest
from tvm_ffi.cpp import nvrtc as module
from tvm_ffi.cpp.nvrtc import nvrtc_compile

SOURCE = 'extern "C" __global__ void fill(float* y, float v) { y[threadIdx.x] = v + ADDED; }'
ADDED = ["-DADDED=1"]


@pytest.fixture(autouse=True)
def bindings():
    """Skip unless NVIDIA's bindings are installed."""
    pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")


def test_compile():
    """The image is for the architecture, and contains the kernel by its name."""
    images = [nvrtc_compile(SOURCE, arch=arch, extra_opts=ADDED) for arch in ("sm_80", "sm_90a")]
    for image in images:
        assert image.startswith(b"\x7fELF")
        assert b".text.fill\0" in image
    assert images[0] != images[1]


def test_launch(fake, tmp_path):
    """The launcher accepts NVRTC's output."""
    (tmp_path / "fill.cubin").write_bytes(nvrtc_compile(SOURCE, arch="sm_90", extra_opts=ADDED))
    source = builds.HERE / "launcher.cc"
    library = builds.build_library(source, tmp_path / "launcher.so", "runtime", fake)
    load = f"mod.load(Path({str(tmp_path / 'fill.cubin')!r}).read_bytes())"
    *_, told = builds.call(fake, library, load, "mod.get(1, 'fill')", "log()")
    assert "kernel fill of library 1" in told


def test_options_without_a_cubin():
    """With such options, NVRTC produces something else."""
    with pytest.raises(RuntimeError, match=r"expected options by which NVRTC makes a CUBIN, got"):
        nvrtc_compile(SOURCE, arch="sm_90", extra_opts=[*ADDED, "-dlto"])


def test_refused_source():
    """The compiler's message has the caller's name for the source, and the line."""
    with pytest.raises(RuntimeError) as caught:
        nvrtc_compile("\n__global__ void f() { y = 1; }", name="mine.cu", arch="sm_90")
    message = str(caught.value)
    assert message.startswith(
        "nvrtc_compile: mine.cu: NVRTC failed with NVRTC_ERROR_COMPILATION, "
        "options ['--gpu-architecture=sm_90']:\n"
    )
    assert 'mine.cu(2): error: identifier "y" is undefined' in message
    with pytest.raises(RuntimeError, match=r"NVRTC failed with NVRTC_ERROR_INVALID_OPTION"):
        nvrtc_compile("", arch="sm_90", extra_opts=["--no-such-option"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": b""}, TypeError, "source: expected a str, got bytes"),
        ({"source": "\0"}, ValueError, "source: expected text without null characters"),
        ({"name": 3}, TypeError, "name: expected a str, got int"),
        ({"arch": 90}, TypeError, "arch: expected a str, got int"),
        ({"arch": "compute_90"}, ValueError, "arch: expected a name such as 'sm_90', got 'comp"),
        ({"arch": "sm_90 -g"}, ValueError, "arch: expected a name"),
        ({"extra_opts": "-G"}, TypeError, "extra_opts: expected a list of str, got str"),
        ({"extra_opts": [3]}, TypeError, "extra_opts: expected a str, got int"),
    ],
)
def test_wrong_arguments(arguments, error, message):
    """Messages name the function, argument, expectation and value."""
    with pytest.raises(error, match=f"^nvrtc_compile: {message}"):
        nvrtc_compile(**{"source": "", "arch": "sm_90", **arguments})


def test_architecture_of_the_gpu(monkeypatch):
    """The default is the first GPU's architecture; without a GPU, the error says what to do."""
    monkeypatch.setattr(module, "gpu_architectures", lambda: ("8.6", "9.0"))
    assert b".text.fill\0" in nvrtc_compile(SOURCE, extra_opts=ADDED)
    assert module._architecture(None) == "sm_86"
    monkeypatch.setattr(module, "gpu_architectures", lambda: ())
    with pytest.raises(RuntimeError, match=r"^nvrtc_compile: arch: expected a GPU or the name"):
        nvrtc_compile(SOURCE)


def test_without_the_bindings(monkeypatch):
    """The error says what to install."""
    monkeypatch.setitem(sys.modules, "cuda.bindings", None)
    with pytest.raises(RuntimeError, match=r"pip install cuda-bindings nvidia-cuda-nvrtc$"):
        nvrtc_compile(SOURCE, arch="sm_90")
