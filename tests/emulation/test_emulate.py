# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The emulation of CUDA on the CPU: it runs what is right, and finds what is planted."""

import os
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
    """Call a kernel in a process of its own; its status, and what it said."""
    command = [sys.executable, "-c", CALL, str(library), name]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **variables}
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("n", [0, 1, 31, 256, 1000])
def test_barriers_and_shuffles(library, n):
    """A reduction by shuffles and dynamic shared memory gives the sum in every order."""
    mod = tvm_ffi.load_module(library)
    x = np.arange(n, dtype="float32")
    for _ in range(20):
        y = np.full(1, np.nan, dtype="float32")
        mod.sum(x, y)
        assert y[0] == x.sum()


def test_a_missing_barrier_shows(library):
    """Threads run in orders that change, so that some run reads what is not written yet."""
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
        ("no_blocks", "a grid of no blocks"),
        ("returns", "__syncthreads() where some threads have returned"),
        ("half_warp", "threads wait for lanes that never come"),
        ("left_out", "a shuffle reads a lane that its mask leaves out"),
    ],
)
def test_what_a_gpu_would_not_say(library, name, message):
    """A barrier that some threads miss, or a wrong mask, ends the process with its name."""
    status, said = call(library, name, {})
    assert status != 0
    assert message in said


def test_an_access_beyond_the_end(tmp_path):
    """AddressSanitizer sees what a kernel reads and writes."""
    library = build_source(PLANTED, tmp_path / "planted.so", SANITIZERS)
    assert call(library, "sum", sanitized(tmp_path / "found"))[0] == 0
    assert call(library, "beyond", sanitized(tmp_path / "found"))[0] != 0
    [found] = tmp_path.glob("found.*")
    assert "heap-buffer-overflow" in found.read_text()


def test_translation():
    """Launches with template arguments and nested brackets, and shared memory, become C++."""
    source = "extern __shared__ float s[];\nk<T, 4><<<dim3(f(1, 2), 3), 256>>>(a, g(b));"
    assert translated(source) == (
        "float* s = static_cast<float*>(emulation::SharedMemory());\n"
        "emulation::Launch(dim3(f(1, 2), 3),  256, 0, nullptr, [&] { k<T, 4>(a, g(b)); });"
    )
    assert parts("a(1, 2), b[3, 4]") == ["a(1, 2)", " b[3, 4]"]


@pytest.mark.parametrize("source", sorted(EXAMPLES.rglob("*.cu*")), ids=lambda path: path.name)
def test_translation_keeps_the_lines(source):
    """What follows a launch stays on its line, since gcov counts by the lines of the source."""
    before, after = source.read_text().splitlines(), translated(source.read_text()).splitlines()
    assert len(before) == len(after)
    same = [i for i, line in enumerate(before) if "<<<" not in line and "__shared__" not in line]
    assert sum(before[i] == after[i] for i in same) > 0.8 * len(before)


def test_lines_of_a_run(tmp_path, monkeypatch):
    """Those of kernels that were called, and those that no call went through."""
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
