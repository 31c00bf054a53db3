# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The emulation of CUDA on the CPU runs correct kernels and finds planted bugs."""

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import emulate
import numpy as np
import pytest
import tvm_ffi
from _setup.sanitize_examples import sanitized
from emulate import EXAMPLES, SANITIZERS, build_source, parts, translated

PLANTED = Path(__file__).with_name("planted.cu")
CALL = """
import sys, numpy, tvm_ffi
x, y = (numpy.ones(4096, dtype="float32") for _ in range(2))
tvm_ffi.load_module(sys.argv[1])[sys.argv[2]](x, y)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    """The planted kernels, without the sanitizers."""
    return build_source(PLANTED, tmp_path_factory.mktemp("emulation") / "planted.so", [])


def call(library: Path, name: str, variables: dict[str, str]) -> tuple[int, str]:
    """Call a kernel in its own process; return its status and stderr."""
    command = [sys.executable, "-c", CALL, str(library), name]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **variables}
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("n", [0, 1, 31, 256, 1000])
def test_barriers_and_shuffles(library, n):
    """A reduction through shuffles and dynamic shared memory is correct in every thread order."""
    mod = tvm_ffi.load_module(library)
    x = np.arange(n, dtype="float32")
    for _ in range(20):
        y = np.full(1, np.nan, dtype="float32")
        mod.sum(x, y)
        assert y[0] == x.sum()


def test_a_missing_barrier_shows(library):
    """Threads run in varying orders, so some run reads a value before it is written."""
    mod = tvm_ffi.load_module(library)
    x = np.ones(1000, dtype="float32")
    results = set()
    for _ in range(20):
        y = np.full(1, np.nan, dtype="float32")
        mod.sum_without_barrier(x, y)
        results.add(float(y[0]))
    assert results != {1000.0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("returns", "__syncthreads() where some threads have returned"),
        ("half_warp", "threads wait for lanes that never come"),
        ("left_out", "a shuffle reads a lane that its mask leaves out"),
        ("static_and_dynamic", "static and dynamic shared memory together are more"),
    ],
)
def test_what_a_gpu_would_not_say(library, name, message):
    """A barrier that some threads miss, a wrong mask and the like abort with a reason."""
    status, said = call(library, name, {})
    assert status != 0
    assert message in said


def test_shared_memory_is_poisoned(library):
    """Each block's static and dynamic shared memory holds NaN, not the previous block's values."""
    mod = tvm_ffi.load_module(library)
    y = np.zeros(4, dtype="float32")
    mod.unwritten(y, y)
    assert np.isnan(y).all()


CHAIN = """
import sys, numpy, tvm_ffi
y = numpy.zeros(16, dtype="float32")
tvm_ffi.load_module(sys.argv[1]).chain(y, y)
print(y.tolist())
"""


def chained(library: Path, seed: int) -> str:
    """Run a kernel that relies on the order of blocks in its own process; return its result."""
    command = [sys.executable, "-c", CHAIN, str(library)]
    variables = {**os.environ, "EMULATION_SEED": str(seed)}
    return subprocess.check_output(command, text=True, env=variables)


def test_relying_on_the_order_of_blocks_shows(library):
    """Blocks run in a shuffled order, determined by the seed."""
    right = f"{[float(i) for i in range(1, 17)]}\n"
    assert right not in {chained(library, 0), chained(library, 1)}
    assert chained(library, 0) == chained(library, 0) != chained(library, 1)


INVALID = "cudaErrorInvalidConfiguration: invalid configuration argument"
TOO_MUCH = "cudaErrorInvalidValue: invalid argument"
ONE = (1, 1, 1)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "error"),
    [
        ((0, 1, 1), ONE, 0, INVALID),
        ((1, 0, 1), ONE, 0, INVALID),
        ((1, 1, 0), ONE, 0, INVALID),
        ((1 << 31, 1, 1), ONE, 0, INVALID),
        ((1, 65535, 1), ONE, 0, None),
        ((1, 65536, 1), ONE, 0, INVALID),
        ((1, 1, 65536), ONE, 0, INVALID),
        (ONE, (0, 1, 1), 0, INVALID),
        (ONE, (1, 1, 0), 0, INVALID),
        (ONE, (32, 32, 1), 0, None),
        (ONE, (1025, 1, 1), 0, INVALID),
        (ONE, (32, 33, 1), 0, INVALID),
        (ONE, (1, 1, 64), 0, None),
        (ONE, (1, 1, 65), 0, INVALID),
        (ONE, ONE, 48 << 10, None),
        (ONE, ONE, (48 << 10) + 1, TOO_MUCH),
    ],
)
def test_a_launch_that_a_gpu_refuses(library, grid, block, shared, error):
    """CUDA's error is raised where the launch is checked, and no thread runs."""
    mod = tvm_ffi.load_module(library)
    y = np.zeros(1, dtype="float32")
    if error is None:
        mod.launch(y, grid, block, shared)
    else:
        with pytest.raises(RuntimeError, match=error):
            mod.launch(y, grid, block, shared)
    assert y[0] == (error is None)


def test_more_threads_than_the_launch_bounds(library):
    """The launch is rejected, and no thread reaches the kernel's first statement."""
    mod = tvm_ffi.load_module(library)
    y = np.zeros(1, dtype="float32")
    for _ in range(3):
        with pytest.raises(RuntimeError, match=TOO_MUCH):
            mod.launch_bounded(y, 129)
    assert y[0] == 0
    mod.launch_bounded(y, 128)
    assert y[0] == 1


def test_more_shared_memory_by_the_attribute(library):
    """A kernel gets as much as its attribute allows, up to 227 KB."""
    mod = tvm_ffi.load_module(library)
    y = np.zeros(1, dtype="float32")
    with pytest.raises(RuntimeError, match=TOO_MUCH):
        mod.launch_large(y, 100 << 10)
    with pytest.raises(RuntimeError, match=TOO_MUCH):
        mod.allow_large((227 << 10) + 1)
    mod.allow_large(100 << 10)
    mod.launch_large(y, 100 << 10)
    assert y[0] == 1
    with pytest.raises(RuntimeError, match=TOO_MUCH):
        mod.launch_large(y, (100 << 10) + 1)
    with pytest.raises(RuntimeError, match=TOO_MUCH):
        mod.launch(y, ONE, ONE, 100 << 10)


def test_an_access_beyond_the_end(tmp_path):
    """AddressSanitizer checks a kernel's reads and writes."""
    library = build_source(PLANTED, tmp_path / "planted.so", SANITIZERS)
    for name in ("sum", "refused_and_sum"):
        assert call(library, name, sanitized(tmp_path / "found"))[0] == 0
    assert call(library, "beyond", sanitized(tmp_path / "found"))[0] != 0
    [found] = tmp_path.glob("found.*")
    assert "heap-buffer-overflow" in found.read_text()


def test_translation():
    """Launches with template arguments and nested brackets, and shared memory, become C++."""
    source = "extern __shared__ float s[];\nk<T, 4><<<dim3(f(1, 2), 3), 256>>>(a, g(b));"
    assert translated(source) == (
        "float* s = static_cast<float*>(emulation::SharedMemory());\n"
        'emulation::Launch("k", dim3(f(1, 2), 3),  256, 0, nullptr, '
        "[](const auto&... given) { k<T, 4>(given...); }, a, g(b));"
    )
    assert translated("k<<<1, 2, 3, stream>>>();") == (
        'emulation::Launch("k", 1,  2,  3,  stream, [](const auto&... given) { k(given...); });'
    )
    assert translated("__shared__ alignas(8) V<2> rows[4][5];") == (
        "alignas(8) static char rows_key; "
        "auto& rows = emulation::Shared<V<2>[4][5]>(&rows_key, __alignof__(rows_key));"
    )
    assert translated("x[min(i + 1, n - 1)], std::min(i, n - 1), min(i, n)") == (
        "x[emulation::ClampedIndex(i + 1, n - 1)], std::min(i, n - 1), min(i, n)"
    )
    assert translated("config.blockDim.y = gridDim.x; n = config.gridDim") == (
        "(config.*emulation::blockDim_of).y = gridDim.x; n = (config.*emulation::gridDim_of)"
    )
    with pytest.raises(ValueError, match=r"expected one variable and no comment, got '__shared__"):
        translated("__shared__ float x, y;")
    kernel = "__global__ void __launch_bounds__(f(1, 2), 3)\n    k(A<1> a, int b) {"
    assert translated(kernel) == f"{kernel} emulation::LaunchBound(f(1, 2));"
    assert translated(f"{kernel[:-2]};") == f"{kernel[:-2]};"  # a declaration
    assert translated("__global__ void k() {}") == (
        "__global__ void k() { emulation::LaunchBound();}"
    )
    assert parts("a(1, 2), b[3, 4]") == ["a(1, 2)", " b[3, 4]"]


@pytest.mark.parametrize("source", sorted(EXAMPLES.rglob("*.cu*")), ids=lambda path: path.name)
def test_translation_keeps_the_lines(source):
    """Code after a launch keeps its line numbers, since gcov counts by source line."""
    before, after = source.read_text().splitlines(), translated(source.read_text()).splitlines()
    assert len(before) == len(after)
    same = [i for i, line in enumerate(before) if "<<<" not in line and "__shared__" not in line]
    assert sum(before[i] == after[i] for i in same) > 0.8 * len(before)


def test_what_is_not_translated():
    """All headers but one are compiled untranslated, so they must not need nvcc."""
    for path in EXAMPLES.rglob("*.h"):
        text = path.read_text()
        assert path.name == emulate.UTILITIES or text == translated(text)


def test_lines_of_a_run(tmp_path, monkeypatch):
    """Lines of called kernels ran; lines that no call reached did not."""
    pytest.importorskip("tree_sitter_cpp", reason="comes with the site's tools, on Python 3.11")
    folder, counts = tmp_path / "examples", tmp_path / "counts" / "planted"
    source = folder / "planted" / "planted_kernel.cu"
    for each in (source.parent, counts):
        each.mkdir(parents=True)
    source.write_text(PLANTED.read_text())
    counting = ["-O0", "--coverage", "-dumpdir", f"{counts}/"]
    library = build_source(source, tmp_path / "planted.so", counting)
    assert call(library, "sum", {})[0] == 0
    for name, path in (("ROOT", tmp_path), ("EXAMPLES", folder), ("OUTPUT", tmp_path)):
        monkeypatch.setattr(emulate, name, path)
    [(file, lines)] = emulate.lines_of("planted").items()
    assert file == "examples/planted/planted_kernel.cu"
    rows = source.read_text().splitlines()
    assert {"  float sum = 0;", "    if (threadIdx.x == 0) *y = sum;"} < {
        rows[line - 1] for line in lines.ran
    }
    assert {"  if (i <= n) y[i] = x[i];", "  *y = 1;"} < {rows[line - 1] for line in lines.idle}


def test_what_a_receipt_says_of_its_run(monkeypatch):
    """The date, commit, machine and tools."""
    monkeypatch.setattr(emulate, "lines_of", lambda _: {})
    monkeypatch.setattr(emulate, "inputs_of", lambda _: [])
    receipt = emulate.receipt_of("planted", {}, emulate.about_run())
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", receipt.date)
    assert receipt.runtime["modified"] in ("yes", "no")
    assert {*receipt.machine} == {"cpu", "system"}
    assert receipt.tools["python"] == platform.python_version()
    assert re.match(r"\d+\.", receipt.tools["g++"])
