# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The benchmark of a kernel that the guide shows: it measures a row of scale."""

import ast
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/benchmarks"
ROWS = f"{FOLDER}/kernel_rows/scale.py"
MEASURES = f"{FOLDER}/kernels_worker.py"
OTHERS = [
    *(f"{FOLDER}/{name}.py" for name in ("rows", "timing", "clocks")),
    "tests/snippets/test_measure.py",
]
MEASURE = """
import sys, kernels_worker as kernels, tvm_ffi
kernels.SECONDS_OF_A_BLOCK["cpu"] = 0.0  # one call in a block: nobody reads these times
rows = kernels.rows_of("scale").rows(tvm_ffi.load_module(sys.argv[1]), "cpu")
print(kernels.measure(next(rows), "cpu", turns=3))
"""


def test_a_row_of_scale(shows, libraries):
    """Kernel, copy and PyTorch's operator are timed, and told by ratios."""
    shows(ROWS, MEASURES, *OTHERS)
    shows(MEASURES, ROWS, *OTHERS)
    paths = os.pathsep.join(str(ROOT / name) for name in (FOLDER, "docs"))
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, libraries / "scale_cpu.so"],
        cwd=ROOT / FOLDER,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = ast.literal_eval(done.stdout)
    assert told.pop("case") == "float32, 16 MiB"
    assert set(told) == {"GB/s", "of a copy", "beside PyTorch", "least beside PyTorch"}
    assert all(each > 0 for each in told.values())


GPU_ROWS = """
import sys, kernels_worker as kernels, rows, tvm_ffi
rows.rehearsed = True
for path in sorted(kernels.ROWS.glob("*.py")):
    module, cases = tvm_ffi.load_module(f"{sys.argv[1]}/{path.stem}_cpu.so"), []
    for row in kernels.rows_of(path.stem).rows(module, "cpu"):
        row.run()
        row.torch and row.torch()
        cases.append(row.case)
    assert len(cases) == len({*cases}), cases
    # A case of gemm names the sides of its matrices; the small ones have 16 rows.
    assert any("64 KiB" in case or ", 16 x" in case for case in cases), cases
print("all ran")
"""


def test_rows_of_a_gpu_run(libraries):
    """On the CPU, on smaller inputs: what is refused here would be refused on a GPU."""
    paths = os.pathsep.join(str(ROOT / name) for name in (FOLDER, "docs"))
    done = subprocess.run(
        [sys.executable, "-c", GPU_ROWS, libraries],
        cwd=ROOT / FOLDER,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all ran\n", done.stderr
