# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R9
"""What gemm does on a GPU before CUTLASS: checks, choice of a path, and empty sums."""

import re
import subprocess
import sys
from pathlib import Path

import emulate
import pytest
import tvm_ffi
from example_calls import torch

HERE = Path(__file__).resolve().parent
SOURCE = emulate.EXAMPLES / "gemm" / "src" / "gemm.cu"
# The example's tests that do not multiply.
NO_PRODUCT = "no_terms or test_empty or large_exponents or overlaps or (refused and not device)"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The only source without CUTLASS; its kernel is emulated."""
    options = ["-O0", "-include", str(HERE / "gemm_paths.h"), f"-I{SOURCE.parent}"]
    return emulate.build_source(SOURCE, tmp_path_factory.mktemp("gemm") / "gemm_cpu.so", options)


@pytest.fixture
def mod(library):
    """The library, on a GPU with compute capability 9.0."""
    mod = tvm_ffi.load_module(library)
    mod.set_capability(90)
    return mod


def matrices(dtype=torch.float16):
    """Matrices that can be multiplied: a, b and the result."""
    a, b = torch.ones(4, 32).to(dtype), torch.ones(16, 32).to(dtype).T
    narrow = dtype == torch.float8_e4m3fn
    return a, b, torch.zeros(4, 16, dtype=torch.bfloat16 if narrow else dtype)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn], ids=str)
@pytest.mark.parametrize("capability", [80, 86, 89, 90, 100, 103, 120])
def test_the_path_of_a_gpu(mod, dtype, capability):
    """A 9.0 GPU uses wgmma, others mma.sync, which lacks float8; a failure names the path."""
    mod.set_capability(capability)
    given = matrices(dtype)
    workspace = torch.zeros(90, dtype=torch.uint8)
    if dtype == torch.float8_e4m3fn and capability != 90:
        words = f"a must be float16 or bfloat16 on a GPU of compute capability {capability / 10}"
        with pytest.raises(TypeError, match=f"^gemm_workspace_size: {words}, got float8_e4m3fn$"):
            mod.gemm_workspace_size(*given)
        with pytest.raises(TypeError, match=f"^gemm: {words}, got float8_e4m3fn$"):
            mod.gemm(*given, workspace, 1.0, "none")
        return
    path = "sm_90a" if capability == 90 else "sm_80"
    assert mod.gemm_workspace_size(*given) == (90 if capability == 90 else 80)
    with pytest.raises(RuntimeError, match=f"^gemm: CUTLASS refuses: {path}$"):
        mod.gemm(*given, workspace, 1.0, "none")


@pytest.mark.parametrize("capability", [70, 75])
def test_an_old_gpu(mod, capability):
    """A GPU without the instructions is rejected."""
    mod.set_capability(capability)
    words = f"a must be on a GPU of compute capability 8.0 or newer, got {capability / 10}"
    with pytest.raises(ValueError, match=f"^gemm_workspace_size: {words}$"):
        mod.gemm_workspace_size(*matrices())


@pytest.mark.parametrize("capability", [80, 90])
def test_no_terms_need_no_workspace(mod, capability):
    """An empty product takes neither path."""
    mod.set_capability(capability)
    a, b, out = matrices()
    nothing = torch.zeros(0, dtype=torch.uint8)
    for given in ((a[:, :0], b[:0], out), (a[:0], b, out[:0]), (a, b[:, :0], out[:, :0])):
        assert mod.gemm_workspace_size(*given) == 0
        mod.gemm(*given, nothing, 1.0, "none")


def test_the_examples_own_tests(library):
    """Errors and empty sums match the CPU kernel."""
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", NO_PRODUCT]
    test = emulate.ROOT / "tests" / "examples" / "test_gemm.py"
    command = [*pytest_, str(test), "--device", "cpu", "--libraries", str(library.parent)]
    done = subprocess.run(command, cwd=emulate.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    [passed] = re.findall(r"(\d+) passed", done.stdout)
    assert int(passed) > 60
