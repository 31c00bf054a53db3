# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""tests/gpu/verify.sh runs the stages named; Python and compute-sanitizer are pretended."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parents[1] / "gpu"
FAKE_PYTHON = """#!/bin/sh
echo "$@" >> "$CALLS"
case "$*" in *"$FAILS"*) [ -n "$FAILS" ] && exit 3 ;; esac
exit 0
"""
FAKE_SANITIZER = """#!/bin/sh
case "$*" in
  *"$SAYS_OF"*) echo "========= $SAYS"; exit "$STATUS" ;;
esac
exit 0
"""


def program(path: Path, text: str) -> Path:
    """Write a program."""
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def verify(tmp_path):
    """Runs the script with words; gives its status, its last line and what Python was asked."""
    copied = tmp_path / "tests" / "gpu"
    copied.mkdir(parents=True)
    script = program(copied / "verify.sh", (GPU / "verify.sh").read_text())
    (tmp_path / "tests" / "examples").mkdir()
    (tmp_path / "tests" / "examples" / "test_scale.py").write_text("")
    (tmp_path / "docs" / "verification").mkdir(parents=True)
    (tmp_path / "docs" / "verification" / "receipt.json").write_text("{}")
    libraries = tmp_path / "build" / "examples"
    libraries.mkdir(parents=True)
    (libraries / "scale_cuda.so").write_text("")
    (tmp_path / "build" / "gpu-site").mkdir()
    (tmp_path / "build" / "gpu-site" / "made_of").write_text("")
    out = tmp_path / "out"
    out.mkdir()

    def run(*words: str, fails: str = "") -> tuple[int, str, str]:
        calls = tmp_path / "calls"
        calls.write_text("")
        python = program(tmp_path / "python", FAKE_PYTHON)
        given = {"PYTHON": str(python), "CALLS": str(calls), "FAILS": fails, "OUT": str(out)}
        done = subprocess.run(
            ["bash", str(script), *words],
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            check=False,
        )
        lines = done.stdout.splitlines() or [done.stderr]
        return done.returncode, lines[-1], calls.read_text()

    return run


def test_all_stages_run(verify, tmp_path):
    """Without a name all of them run, and what they wrote is packed."""
    status, last, calls = verify()
    assert (status, last) == (0, "stages: examples tests bench sanitizers slow; failed: none")
    for part in (
        "docs/verify.py --device cuda",
        "tests/python/test_cuda_tensors.py",
        "tests/benchmarks/kernels.py --device cuda",
        "tests/gpu/sanitizers.py",
        "tests/examples/test_scale.py --device cuda",
    ):
        assert part in calls
    with tarfile.open(tmp_path / "out" / "verified.tgz") as packed:
        assert "docs/verification/receipt.json" in packed.getnames()


def test_stages_and_options_are_chosen(verify):
    """Words that name stages choose them; the others go to docs/verify.py."""
    status, last, calls = verify("examples", "--jobs", "3")
    assert (status, last) == (0, "stages: examples; failed: none")
    assert "--jobs 3" in calls
    assert "kernels.py" not in calls
    assert "sybil" in calls
    assert "sybil" not in verify("bench")[2]


def test_a_stage_that_fails_stops_no_other(verify):
    """The last line names it."""
    status, last, calls = verify("tests", "bench", fails="tests/python")
    assert (status, last) == (1, "stages: tests bench; failed: tests")
    assert "kernels.py" in calls


def test_libraries_are_those_of_the_examples(verify, tmp_path):
    """The last two stages build nothing."""
    (tmp_path / "build" / "examples" / "scale_cuda.so").unlink()
    status, last, calls = verify("sanitizers", "slow")
    assert (status, last) == (1, "stages: sanitizers slow; failed: sanitizers slow")
    assert "sanitizers.py" not in calls


@pytest.mark.parametrize(
    ("of", "says", "status", "expected", "told"),
    [
        ("import torch", "Error: Device not supported.", 1, 0, "left out: memcheck, racecheck"),
        ("import torch", "no such option", 1, 1, "a program that is right fails: status 1"),
        ("racecheck", "Race reported", 99, 1, "scale: racecheck: status 99\n========= Race"),
        ("nothing", "", 0, 0, "3 of 3 clean"),
    ],
)
def test_sanitizers(tmp_path, of, says, status, expected, told):
    """A machine that refuses is said to be left out; what a tool finds is a failure."""
    program(tmp_path / "compute-sanitizer", FAKE_SANITIZER)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = sanitizers("scale", PATH=path, SAYS_OF=of, SAYS=says, STATUS=str(status))
    assert done.returncode == expected, done.stdout + done.stderr
    assert told in done.stdout


def sanitizers(*names: str, **variables: str) -> subprocess.CompletedProcess:
    """Run sanitizers.py on examples."""
    return subprocess.run(
        [sys.executable, str(GPU / "sanitizers.py"), *names],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_sanitizers_know_the_examples():
    """A name of none is an error: nothing would run, and nothing fail."""
    done = sanitizers("scale", "sclae")
    assert done.returncode == 1
    assert "streams_and_graphs" in done.stderr
    assert "got sclae" in done.stderr


def test_sanitizers_are_found_beside_nvcc(tmp_path):
    """A toolkit that is not on the path is used all the same."""
    program(tmp_path / "compute-sanitizer", FAKE_SANITIZER)
    nvcc = program(tmp_path / "nvcc", "#!/bin/sh\n")
    done = sanitizers("scale", NVCC=str(nvcc), SAYS_OF="nothing", SAYS="", STATUS="0")
    assert "3 of 3 clean" in done.stdout, done.stdout + done.stderr


def test_sanitizers_leave_memory_to_pytorch_where_a_graph_is_captured(tmp_path):
    """The capture stands in the driver or in a file beside it."""
    shows = FAKE_SANITIZER.replace("exit 0", 'echo "=====$PYTORCH_NO_CUDA_MEMORY_CACHING="; exit 9')
    shows = shows.replace("case", 'case "$*" in *"import torch;"*) exit 0 ;; esac\ncase', 1)
    program(tmp_path / "compute-sanitizer", shows)
    path = f"{tmp_path}:{os.environ['PATH']}"
    nothing = {"SAYS_OF": "nothing", "SAYS": "", "STATUS": "0"}
    assert "=====1=" in sanitizers("scale", PATH=path, **nothing).stdout
    assert "======\n" in sanitizers("streams_and_graphs", PATH=path, **nothing).stdout
