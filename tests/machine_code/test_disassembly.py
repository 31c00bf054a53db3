# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A library's machine code yields the same facts about its kernels as ptxas for their source."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="Python 3.10 does not have it")

from _verify.tools import find_nvcc
from disassembly import CannotCompile, compiled, contained

SOURCE = """
namespace {
template <typename T, int kThreads>
__global__ void __launch_bounds__(kThreads) turn(T* x) {
  __shared__ T all[kThreads];
  all[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = all[kThreads - 1 - threadIdx.x];
}
__global__ void twice(float* x) { x[threadIdx.x] *= 2; }
__global__ void dynamic(float* x) {
  extern __shared__ float more[];
  more[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = more[blockDim.x - 1 - threadIdx.x];
}
}  // namespace
void start(float* x, short* y) {
  turn<float, 96><<<1, 96>>>(x);
  turn<short, 64><<<1, 64>>>(y);
  twice<<<1, 32>>>(x);
  dynamic<<<1, 32, 128>>>(x);
}
"""
STACK = """
__global__ void pick(float* x, const int* which) {
  float some[32];
  for (int i = 0; i < 32; ++i) some[which[i]] = x[i];
  *x = some[which[32]];
}
"""


@pytest.fixture(scope="module")
def tools():
    """The compiler."""
    found = find_nvcc()
    if not found:
        pytest.skip("nvcc is not installed")
    return found


def build(folder: Path, text: str, tools: dict[str, str]) -> tuple[Path, Path]:
    """Write a source with this text, and build a library from it for sm_80 and sm_90."""
    source, library = folder / "kernels.cu", folder / "kernels.so"
    source.write_text(text)
    flags = "-shared -Xcompiler -fPIC -O3 -std=c++17 -gencode arch=compute_80,code=sm_80"
    more = ["-gencode", "arch=compute_90,code=sm_90", str(source), "-o", str(library)]
    subprocess.run([tools["NVCC"], *flags.split(), *more], check=True)
    return source, library


def test_library_tells_what_its_source_tells(tools, tmp_path):
    """Both give the same kernels in the same order, with the same instructions and resources."""
    source, library = build(tmp_path, SOURCE, tools)
    shared = []
    for architecture in ("sm_80", "sm_90"):
        found = contained(library, architecture)
        assert found == compiled(source, tmp_path, architecture, tools)
        assert [name for name, _, _ in found] == [
            "dynamic",
            "turn<float, 96>",
            "turn<short, 64>",
            "twice",
        ]
        shared.append([resources.shared for _, _, resources in found])
    assert shared == [[0, 384, 128, 0]] * 2


def test_library_that_does_not_tell_all(tools, tmp_path):
    """A stack may be spilled registers, and code for another architecture is no help."""
    _, library = build(tmp_path, STACK, tools)
    assert contained(library, "sm_90") is None
    assert contained(library, "sm_120") is None
    library.write_bytes(b"no library")
    with pytest.raises(CannotCompile):
        contained(library, "sm_90")
