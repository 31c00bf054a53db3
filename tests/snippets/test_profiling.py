# SPDX-License-Identifier: Apache-2.0
# Rows: R4, R5, R8
"""The page on profiling: NVTX's ranges, and lines of the source in machine code."""

import ctypes
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
from _verify.tools import answer, find_nvcc

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "tests/snippets/profiling"
TEST = "tests/snippets/test_profiling.py"
CAPTURED = "tests/snippets/captured"
UTILITIES = "examples/kernel_library/tvm_ffi_utils.h"
AXPY = "tests/snippets/cubin/axpy.cu"
SHOWN = [f"{FOLDER}/{name}" for name in ("nvtx_range.h", "standardize.cc", "build.sh")]
WARNINGS = "-Wall -Wextra -Wconversion -Werror"
sys.path[:0] = [str(ROOT / name) for name in ("tests/examples", "tests/machine_code")]

from disassembly import find_tool  # noqa: E402  (in a folder that was just named)


def run_script(folder, name, **variables):
    """Run a script of the page in a folder, with the Python of this test."""
    tools = [str(Path(sys.executable).parent), str(Path(find_tool("nvdisasm")).parent)]
    path = os.pathsep.join([*tools, os.environ["PATH"]])
    environment = {**os.environ, **variables, "PATH": path}
    done = subprocess.run(
        ["bash", name], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def nvtx(tmp_path_factory):
    """The folder of NVTX's headers, which nvcc finds in its toolkit."""
    found = find_nvcc()
    if not found:
        pytest.skip("no nvcc is installed")
    source = tmp_path_factory.mktemp("nvtx") / "nvtx.cu"
    source.write_text("#include <nvtx3/nvToolsExt.h>\n")
    told = re.search(r"(\S+)/nvtx3/nvToolsExt\.h", answer(found["NVCC"], "-M", str(source)))
    if not told:
        pytest.skip("nvcc finds no nvtx3/nvToolsExt.h")
    return told[1]


@pytest.fixture
def folder(nvtx, shows, tmp_path):
    """Where the script of the page has built the library, as a test of each of its files."""
    for path in SHOWN:
        shows(path, *{*SHOWN, UTILITIES, TEST, f"{FOLDER}/recorder.cc"} - {path})
    for path in (*SHOWN, UTILITIES):
        shutil.copy(ROOT / path, tmp_path)
    run_script(tmp_path, "build.sh", NVTX=nvtx)
    return tmp_path


@pytest.fixture
def recorder(folder, nvtx):
    """What stands for a profiler."""
    library = folder / "recorder.so"
    command = f"g++ -shared -fPIC -O1 {WARNINGS} -isystem {nvtx} {ROOT / FOLDER}/recorder.cc"
    subprocess.run([*shlex.split(command), "-o", library], check=True)
    recorder = ctypes.CDLL(str(library))
    recorder.take_events.restype = ctypes.c_char_p
    return recorder


@pytest.fixture
def recorded(folder, recorder, monkeypatch):
    """The library, with a profiler that NVTX loads at the first range."""
    monkeypatch.setenv("NVTX_INJECTION64_PATH", str(folder / "recorder.so"))
    return tvm_ffi.load_module(folder / "standardize.so")


def events_of(recorder):
    """The ranges since the last call."""
    return recorder.take_events().decode().splitlines()


STATISTICS = ["push standardize", "push standardize: statistics", "pop"]


@pytest.mark.parametrize("n", [0, 3, 1001])
def test_ranges(recorded, recorder, n):
    """The parts are ranges inside that of the function, and the results are those of float64."""
    x = numpy.random.default_rng(n).normal(size=n).astype("float32")
    y = numpy.full_like(x, numpy.nan)
    recorded.standardize(x, y)
    assert events_of(recorder) == [*STATISTICS, "push standardize: output", "pop", "pop"]
    if n:
        exact = x.astype("float64")
        numpy.testing.assert_allclose(y, (exact - exact.mean()) / exact.std(), rtol=1e-5, atol=1e-6)
    assert recorder.open_ranges() == 0


@pytest.mark.parametrize("bad", [numpy.nan, numpy.inf])
def test_values_that_are_no_numbers(recorded, bad):
    """They make the whole result NaN, and are no equal values."""
    x = numpy.array([1, bad, 2], "float32")
    y = numpy.zeros_like(x)
    recorded.standardize(x, y)
    assert numpy.isnan(y).all()


def test_ranges_of_an_error(recorded, recorder):
    """An error ends every range that is open."""
    for n in (1, 49, 1001, 5):  # a sum of rounded quotients would miss the mean
        equal = numpy.full(n, 0.1, "float32")
        with pytest.raises(ValueError, match="x must be of different values, got equal ones"):
            recorded.standardize(equal, numpy.empty_like(equal))
        assert events_of(recorder) == [*STATISTICS, "pop"]
    with pytest.raises(ValueError, match=r"^standardize: y must be of shape \(5,\) like x"):
        recorded.standardize(equal, numpy.empty(4, "float32"))
    assert events_of(recorder) == ["push standardize", "pop"]
    assert recorder.open_ranges() == 0


def test_without_a_profiler(folder, recorder, monkeypatch):
    """Nothing is loaded and nothing recorded where the variable names no library."""
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)
    x = numpy.arange(3, dtype="float32")
    tvm_ffi.load_module(folder / "standardize.so").standardize(x, numpy.empty_like(x))
    assert events_of(recorder) == []


def test_the_library_needs_no_nvtx(folder):
    """The header holds all of it: the library asks the loader for no library of NVIDIA's."""
    told = subprocess.check_output(["readelf", "-d", folder / "standardize.so"], text=True)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
    assert "libtvm_ffi.so" in needed
    assert not [name for name in needed if re.search("nvtx|nvToolsExt|cuda", name)]


def machine_code(listing):
    """The instructions of a listing, without what stands between them."""
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+([A-Z@][^;\n]+?)\s*;", listing)


def test_lines(shows, tmp_path):
    """With -lineinfo the listing names the lines of the source; the instructions stay."""
    nvcc = find_nvcc()
    if not nvcc:
        pytest.skip("no nvcc is installed")
    if not shutil.which(find_tool("nvdisasm")):
        pytest.skip("nvdisasm is not installed")
    script = shows(f"{FOLDER}/lines.sh", AXPY, TEST)
    for name, text in (
        ("with", script.read_text()),
        ("without", script.read_text().replace(" -lineinfo", "")),
    ):
        (tmp_path / name).mkdir()
        shutil.copy(ROOT / AXPY, tmp_path / name)
        (tmp_path / name / "lines.sh").write_text(text)
    # The script itself runs, so that its lines are known to have run.
    run_script(tmp_path / "with", str(script), **nvcc)
    run_script(tmp_path / "without", "lines.sh", **nvcc)
    lines, without = ((tmp_path / name / "axpy.sass").read_text() for name in ("with", "without"))
    named = {int(line) for line in re.findall(r'//## File ".*axpy\.cu", line (\d+)', lines)}
    source = (ROOT / AXPY).read_text().splitlines()
    assert source.index("    y[i] += a * x[i];") + 1 in named
    assert "axpy.cu" not in without
    assert machine_code(lines) == machine_code(without) != []
    sizes = [(tmp_path / name / "axpy.cubin").stat().st_size for name in ("without", "with")]
    assert sizes[0] < sizes[1]


# Stands for nsys or ncu: keeps its arguments, and runs the program that they end with.
STAND_IN = """\
#!/usr/bin/env bash
echo "${0##*/} $*" >> calls
while [ $# -gt 0 ]; do
  if [ "$1" = python ]; then exec "$@"; fi
  shift
done
"""


@pytest.mark.parametrize("tool", ["nsys", "ncu"])
def test_commands_of_profilers(folder, shows, monkeypatch, tool):
    """The script profiles the page's program; tests/profilers repeats this with the real tool."""
    program = f"{FOLDER}/use.py"
    script = shows(f"{FOLDER}/{tool}.sh", program, *SHOWN, UTILITIES, TEST)
    shutil.copy(shows(program, *SHOWN, UTILITIES, TEST), folder)
    stand_in = folder / "tools" / tool
    stand_in.parent.mkdir()
    stand_in.write_text(STAND_IN)
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}")
    run_script(folder, str(script))
    calls = (folder / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == [tool] * len(calls)
    assert [call.endswith(" python use.py") for call in calls] == [True, False][: len(calls)]
