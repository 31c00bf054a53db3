# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""tests/gpu/verify.sh runs its stages and reports each result; its programs are stubs here."""

import importlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

GPU = Path(__file__).resolve().parents[1] / "gpu"
DOCS = GPU.parents[1] / "docs"
# Stands in for each program of a stage: records its arguments and does what a test requests.
PRETENDED = """import os, pathlib, sys, time
with open(os.environ["CALLS"], "a") as file:
    print(pathlib.Path(sys.argv[0]).name, *sys.argv[1:], file=file)
exec(os.environ.get("DO_" + pathlib.Path(sys.argv[0]).stem.upper(), ""))
"""
PROGRAMS = (
    *("docs/verify.py", "tests/benchmarks/kernels.py"),
    *("tests/gpu/prepare.py", "tests/gpu/sanitizers.py"),
)
# Fails if warnings are errors, as in the nox sessions.
TEST = """import os, warnings
def test_pretended(request):
    warnings.warn("this version is not pinned", DeprecationWarning)
    with open(os.environ["CALLS"], "a") as file:
        print(request.path.name, os.environ.get("RUN_SLOW", ""), file=file)
"""
CONFTEST = """def pytest_addoption(parser):
    parser.addoption("--device")
    parser.addoption("--libraries")
"""
STRICT = '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'


def program(path: Path, text: str) -> Path:
    """Write an executable file."""
    path.write_text(text)
    path.chmod(0o755)
    return path


class Verify:
    """A copy of the script in an otherwise simulated tree."""

    def __init__(self, root: Path) -> None:
        self.root, self.out, self.calls = root, root / "out", root / "calls"
        shutil.copytree(GPU, root / "tests" / "gpu")
        for name in PROGRAMS:
            self.write(name, PRETENDED)
        for name in ("cuda_tensors", "cupy_adapter", "framework_matrix", "stream"):
            self.write(f"tests/python/test_{name}.py", TEST)
        self.write("tests/examples/test_scale.py", TEST)
        self.write("tests/examples/conftest.py", CONFTEST)
        self.write("examples/kernel_library/scale/scale_kernel.cu", "")
        self.write("docs/benchmarks/kernels.json", "{}")
        self.write("docs/verification/old.json", "{}")
        self.write("pyproject.toml", STRICT)
        (root / "docs" / "_verify").symlink_to(DOCS / "_verify")

    def write(self, name: str, text: str) -> None:
        """Write a file of the tree."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start(self, *words: str, **variables: str) -> subprocess.Popen:
        """Start the script."""
        self.calls.write_text("")
        given = {"PYTHON": sys.executable, "CALLS": str(self.calls), "OUT": str(self.out)}
        return subprocess.Popen(
            ["bash", str(self.root / "tests" / "gpu" / "verify.sh"), *words],
            env={**os.environ, **given, "RUNTIME_COMMIT": "0123", **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def end(self, process: subprocess.Popen) -> tuple[int, dict[str, str], str]:
        """Wait for the script; return its status, the table's rows by stage, and its output."""
        said, _ = process.communicate()
        rows = said.rpartition("\nstage ")[2].splitlines()[1:]
        named = [row.partition(" ") for row in rows if row[:1].strip()]
        return process.returncode, {name: " ".join(rest.split()) for name, _, rest in named}, said

    def __call__(self, *words: str, **variables: str) -> tuple[int, dict[str, str], str]:
        """Run the script to completion."""
        return self.end(self.start(*words, **variables))

    def packed(self) -> set[str]:
        """Return the names in the archive."""
        with tarfile.open(self.out / "verified.tgz") as packed:
            return set(packed.getnames())


@pytest.fixture
def verify(tmp_path):
    """The script, called with arguments."""
    return Verify(tmp_path)


def outcomes(rows: dict[str, str]) -> dict[str, str]:
    """Return the results without their durations."""
    return {name: row.partition(" ")[0].rstrip(":") for name, row in rows.items()}


def test_all_stages_run(verify):
    """Without arguments all stages run, on the GPU, and warnings do not fail them."""
    status, rows, said = verify()
    assert status == 0, said
    stages = "package libraries examples tests bench memcheck racecheck initcheck slow"
    assert outcomes(rows) == dict.fromkeys(stages.split(), "passed")
    calls = verify.calls.read_text()
    for part in (
        *("prepare.py --wheels\nprepare.py\n", "--compile-only", "--device cuda\ntest_cuda"),
        "kernels.py docs/benchmarks/kernels.json --device cuda\n",
        *("sanitizers.py --tool racecheck\n", "test_scale.py 1\n"),
    ):
        assert part in calls
    assert {"docs/verification/old.json", "build/gpu/bench.log", "build/gpu/table.txt"} <= (
        verify.packed()
    )


def test_stages_and_examples_are_chosen(verify):
    """Only prerequisites run before the chosen stage; example names restrict the last stages."""
    status, rows, said = verify("initcheck", "scale", "--jobs", "3")
    assert (status, list(rows)) == (0, ["package", "libraries", "initcheck"]), said
    calls = verify.calls.read_text()
    assert "sanitizers.py --tool initcheck scale\n" in calls
    assert "verify.py --jobs 3 --compile-only\n" in calls
    assert list(verify("bench", "scale")[1]) == ["package", "libraries", "bench"]
    assert "kernels.json scale --device cuda --update\n" in verify.calls.read_text()
    status, _, said = verify("sclae")
    assert status == 2
    assert "expected stages or examples among package, " in said
    assert "got sclae" in said


def test_what_a_stage_wrote_is_told_and_packed(verify):
    """Outputs are reported even if the stage fails, and other stages still run."""
    receipt = "docs/verification/new.json"
    fails = f"pathlib.Path({receipt!r}).write_text('x'); print('FAILED scale: why'); sys.exit(3)"
    status, rows, said = verify("examples", "bench", DO_VERIFY=fails)
    assert status == 1
    assert rows["libraries"].startswith("failed: exit status 3 ")
    assert rows["libraries"].endswith(" 1 receipts")
    assert outcomes(rows)["bench"] == "passed"
    assert "\n    FAILED scale: why\n" in said.rpartition("\nstage ")[2]
    assert receipt in verify.packed()


def test_what_is_left_out_is_told(verify):
    """An unsupported stage is not a failure; the table gives the reason."""
    refuses = "print('left out: memcheck: Device not supported'); sys.exit(77)"
    status, rows, said = verify("memcheck", DO_SANITIZERS=refuses)
    assert status == 0, said
    assert rows["memcheck"].startswith("left out ")
    assert said.endswith("\n    left out: memcheck: Device not supported\n")


def test_nothing_runs_without_the_package(verify):
    """The stages report that the package failed, and why."""
    fails = "print('FAILED nanobind: expected 2.0 or newer, got none'); sys.exit(1)"
    status, rows, said = verify("bench", DO_PREPARE=fails)
    assert status == 1
    assert rows["bench"].startswith("not run: package failed")
    assert "    FAILED nanobind: expected" in said
    assert "kernels.py" not in verify.calls.read_text()


def test_no_stage_starts_when_the_time_is_up(verify):
    """The limit covers the whole call; the table is still printed before it."""
    status, rows, _ = verify("tests", "--limit", "10")
    assert status == 1
    assert rows["tests"].startswith("not run: 0 s are left of the limit")
    assert verify.calls.read_text() == ""


def test_the_commit_must_be_known(verify):
    """Receipts without a commit do not count, so nothing is run for them."""
    status, _, said = verify("examples", RUNTIME_COMMIT="")
    assert (status, verify.calls.read_text()) == (2, "")
    assert "expected a git repository or RUNTIME_COMMIT, got neither" in said
    assert verify("tests", RUNTIME_COMMIT="")[0] == 0


def test_a_rehearsal_uses_the_cpu(verify):
    """A rehearsal writes no committed records and needs no commit."""
    status, _, said = verify("--rehearse", RUNTIME_COMMIT="")
    assert status == 0, said
    calls = verify.calls.read_text()
    assert "cuda\n" not in calls
    assert "kernels.py docs/benchmarks/kernels.json --rehearse\n" in calls
    assert "test_scale.py \n" in calls
    assert "docs/verification/old.json" not in verify.packed()


def test_a_run_that_is_asked_to_end_packs_what_it_has(verify):
    """The current stage is stopped, the rest do not run, and the table is printed."""
    record = "docs/benchmarks/kernels.json"
    waits = f"pathlib.Path({record!r}).write_text('half'); time.sleep(1000)"
    process = verify.start("bench", "slow", DO_KERNELS=waits)
    while process.poll() is None and (verify.root / record).read_text() != "half":
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    status, rows, said = verify.end(process)
    assert status == 1, said
    assert rows["bench"].startswith("failed: interrupted")
    assert rows["bench"].endswith("kernels.json")
    assert rows["slow"].startswith("not run: stopped")
    with tarfile.open(verify.out / "verified.tgz") as packed:
        assert packed.extractfile(record).read() == b"half"


@pytest.fixture
def gpu_module(monkeypatch):
    """Import a module of tests/gpu."""
    monkeypatch.syspath_prepend(str(GPU))
    return importlib.import_module


def test_a_stage_ends_at_its_limit(gpu_module, monkeypatch, tmp_path):
    """All the stage's processes are killed, even those that ignore SIGTERM; its output is kept."""
    stage = gpu_module("stage")
    child = "trap '' TERM; sleep 1000 & echo $! > child; echo left out: half; wait; wait"
    result = stage.Result("bench", "passed")
    monkeypatch.setattr(stage, "GRACE", 1)
    stage.run(
        *(result, ["sh", "-c", child]),
        cwd=tmp_path,
        env=os.environ,
        log=tmp_path / "log",
        limit=2,
        tick=lambda: None,
    )
    assert result.outcome == "failed: stopped after 2 s"
    assert result.reasons == ["left out: half"]
    assert (tmp_path / "log").read_text() == "left out: half\n"
    state = Path("/proc", (tmp_path / "child").read_text().strip(), "stat")
    while state.exists() and state.read_text().split()[2] != "Z":
        time.sleep(0.05)


def test_the_table_is_short(gpu_module):
    """Failures come before skips, and the rest is counted."""
    stage = gpu_module("stage")
    result = stage.Result("tests", "failed: exit status 1", 3.2, "2 receipts")
    for line in [*(f"left out: {i}" for i in range(11)), "left out: 0", "FAILED a", "passed b"]:
        result.note(line)
    assert stage.table([result]).splitlines() == [
        "stage  result                 seconds  written",
        "tests  failed: exit status 1  3        2 receipts",
        *("    FAILED a", *(f"    left out: {i}" for i in range(9))),
        "    and 2 more, in the log",
    ]


@pytest.mark.parametrize(
    ("name", "found", "told"),
    [
        ("nanobind", "1.9.2", "nanobind: expected 2.0 or newer, got 1.9.2"),
        ("nanobind", "", "nanobind: expected 2.0 or newer, got none"),
        ("nanobind", "2.0.0", ""),
        ("nanobind", "3.1.0", ""),
        ("scikit-build-core", "0.9.2", "scikit-build-core: expected 0.11 or newer, got 0.9.2"),
        ("scikit-build-core", "0.11.6", ""),
        ("scikit-build-core", "1.1.2", ""),
        ("torch", "2.9.1", "torch: expected 2.10 or newer, got 2.9.1"),
        ("torch", "2.11.0+cu130", ""),
    ],
)
def test_versions_are_checked_before_anything_is_built(gpu_module, monkeypatch, name, found, told):
    """A missing or outdated package is reported with the required version."""
    prepare = gpu_module("prepare")

    def version(asked):
        if asked == name and not found:
            raise prepare.PackageNotFoundError(asked)
        return found if asked == name else "99.0"

    monkeypatch.setattr(prepare, "version", version)
    monkeypatch.setattr(prepare, "find_nvcc", lambda: {"NVCC": "nvcc"})
    problems = [each for each in prepare.problems(gpu=False) if not each.startswith("Python's")]
    assert problems == [told] * bool(told)


FAKE_SANITIZER = """#!/bin/sh
case "$*" in
  *"$SAYS_OF"*) echo "========= $SAYS"; exit "$STATUS" ;;
esac
exit 0
"""


@pytest.mark.parametrize(
    ("of", "says", "status", "expected", "told"),
    [
        ("import torch", "Error: Device not supported.", 1, 77, "left out: memcheck, racecheck"),
        ("import torch", "no such option", 1, 1, "a program that is right fails: status 1"),
        ("racecheck", "Race reported", 99, 1, "scale: racecheck: status 99\n========= Race"),
        ("nothing", "", 0, 0, "3 of 3 clean"),
    ],
)
def test_sanitizers(tmp_path, of, says, status, expected, told):
    """An unsupported machine is reported as left out; a tool's findings are failures."""
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


def test_one_sanitizer_is_chosen(tmp_path):
    """A stage runs a single tool."""
    program(tmp_path / "compute-sanitizer", FAKE_SANITIZER)
    nothing = {"SAYS_OF": "nothing", "SAYS": "", "STATUS": "0"}
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = sanitizers("--tool", "initcheck", "scale", PATH=path, **nothing)
    assert done.stdout.startswith("scale: initcheck: clean\n1 of 1 clean"), done.stderr


def test_what_cannot_run_under_a_sanitizer_is_named(tmp_path):
    """An example that cannot run is left out with its reason, and mentioned only if requested."""
    program(tmp_path / "compute-sanitizer", FAKE_SANITIZER)
    nothing = {"SAYS_OF": "nothing", "SAYS": "", "STATUS": "0"}
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = sanitizers("nonzero", "scale", PATH=path, **nothing)
    assert done.stdout.startswith("left out: nonzero: its driver asks PyTorch's profiler")
    assert "3 of 3 clean" in done.stdout


def test_sanitizers_know_the_examples():
    """An unknown name is an error; otherwise nothing would run and nothing fail."""
    done = sanitizers("scale", "sclae")
    assert done.returncode == 1
    assert "streams_and_graphs" in done.stderr
    assert "got sclae" in done.stderr


def test_sanitizers_are_found_beside_nvcc(tmp_path):
    """A toolkit that is not on the path is found through nvcc."""
    program(tmp_path / "compute-sanitizer", FAKE_SANITIZER)
    nvcc = program(tmp_path / "nvcc", "#!/bin/sh\n")
    done = sanitizers("scale", NVCC=str(nvcc), SAYS_OF="nothing", SAYS="", STATUS="0")
    assert "3 of 3 clean" in done.stdout, done.stdout + done.stderr


def test_sanitizers_leave_memory_to_pytorch_where_a_graph_is_captured(tmp_path):
    """The capture may be in the driver or in a file beside it."""
    shows = FAKE_SANITIZER.replace("exit 0", 'echo "=====$PYTORCH_NO_CUDA_MEMORY_CACHING="; exit 9')
    shows = shows.replace("case", 'case "$*" in *"import torch;"*) exit 0 ;; esac\ncase', 1)
    program(tmp_path / "compute-sanitizer", shows)
    path = f"{tmp_path}:{os.environ['PATH']}"
    nothing = {"SAYS_OF": "nothing", "SAYS": "", "STATUS": "0"}
    assert "=====1=" in sanitizers("scale", PATH=path, **nothing).stdout
    assert "======\n" in sanitizers("streams_and_graphs", PATH=path, **nothing).stdout
