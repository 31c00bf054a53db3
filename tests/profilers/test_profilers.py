# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R8
"""The commands of the page on profiling, run by NVIDIA's profilers on a machine without a GPU.

``nsys`` records the ranges of a CPU function; ``ncu`` reads its options, then needs a driver.
"""

import csv
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest
from _verify.tools import answer, find_nvcc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/snippets/profiling"
NEEDED = [FOLDER / name for name in ("nvtx_range.h", "standardize.cc", "use.py")]
RANGES = {"standardize", "standardize: statistics", "standardize: output"}
TOOLS = os.environ.get("PROFILERS", "")
pytestmark = pytest.mark.skipif(not TOOLS, reason="nox -s profilers runs this")


def run(folder, *command):
    """Run a command in the folder, with the profilers on the path; return how it ended."""
    paths = [TOOLS, sysconfig.get_path("scripts"), os.environ["PATH"]]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join(paths), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the library of the page is built."""
    folder = tmp_path_factory.mktemp("profilers")
    for path in (*NEEDED, ROOT / "examples/kernel_library/tvm_ffi_utils.h"):
        shutil.copy(path, folder)
    (folder / "find.cu").write_text("#include <nvtx3/nvToolsExt.h>\n")
    told = answer(find_nvcc()["NVCC"], "-M", str(folder / "find.cu"))
    (header,) = (word for word in told.split() if word.endswith("nvtx3/nvToolsExt.h"))
    nvtx = str(Path(header).parents[1])
    done = run(folder, "env", f"NVTX={nvtx}", "bash", FOLDER / "build.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nsys(folder):
    """It records each range as often as it was open, and knows the tables that the page names."""
    done = run(folder, "bash", FOLDER / "nsys.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(name in done.stdout for name in RANGES)
    for table in ("nvtx_gpu_proj_sum", "cuda_gpu_kern_sum"):
        assert f"{table}.py" in done.stdout
    assert "could not be found" not in done.stdout + done.stderr
    words = "nsys stats --quiet --force-export=true --report=nvtx_pushpop_sum --format=csv"
    told = run(folder, *words.split(), "standardize.nsys-rep").stdout
    rows = csv.DictReader(told.splitlines())
    assert {row["Range"].removeprefix(":"): row["Instances"] for row in rows} == dict.fromkeys(
        RANGES, "10"
    )


def test_nsys_refuses_what_it_does_not_know(folder):
    """So the commands of the page are spelled as nsys spells them."""
    done = run(folder, "nsys", "profile", "--cuda-graph-tracing=node", "true")
    assert done.returncode != 0
    assert "unrecognised option" in done.stdout + done.stderr
    words = "nsys stats --force-export=true --report=nvtx_gpu_proj_sums standardize.nsys-rep"
    done = run(folder, *words.split())
    assert "could not be found" in done.stdout + done.stderr


DRIVER = "==ERROR== Nsight Compute failed to connect to the CUDA driver"


@pytest.mark.skipif(bool(shutil.which("nvidia-smi")), reason="there is a driver")
def test_ncu(folder):
    """It accepts all options: all that it misses is a driver."""
    done = run(folder, "bash", FOLDER / "ncu.sh")
    errors = [line for line in (done.stdout + done.stderr).splitlines() if "==ERROR==" in line]
    expected = (DRIVER, "==ERROR== The application returned an error code")
    assert [line for line in errors if not line.startswith(expected)] == []
    assert [line for line in errors if line.startswith(DRIVER)]
    wrong = (FOLDER / "ncu.sh").read_text().replace("--launch-skip", "--launch-skips")
    done = run(folder, "bash", "-c", wrong)
    assert DRIVER not in done.stdout + done.stderr
    assert "--launch-skips" in done.stdout + done.stderr


def test_sections_of_the_full_set(folder):
    """It has the sections that the page tells to read."""
    told = run(folder, "ncu", "--list-sections").stdout
    for section in (
        "GPU Speed Of Light Throughput",
        "Occupancy",
        "Warp State Statistics",
        "Memory Workload Analysis",
        "Source Counters",
    ):
        assert section in told, told
