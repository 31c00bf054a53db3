# SPDX-License-Identifier: Apache-2.0
"""Verify the examples, the pages and the runtime on a GPU, without nox or a network.

Stages run one after another; without names, all of them run:

  package     check what is installed, then build the package (always runs first)
  libraries   compile the examples (always runs if a later stage needs them)
  examples    run examples, pages and shown files; writes receipts to docs/verification
  tests       the tests of tensors, streams and frameworks
  bench       the kernels compared with a copy and with PyTorch, one process per example; writes
              docs/benchmarks/kernels.json after each
  memcheck    the examples' drivers under compute-sanitizer's tool of that name
  racecheck   likewise
  initcheck   likewise
  slow        the examples' tests, including those beyond 2^31 elements

Each stage has a time limit below 10 minutes, and a failure does not stop later stages. The output
ends with a table of the stages. If OUT names a folder, the receipts, records and logs are packed
into verified.tgz there; it is updated while stages run, so that a killed run loses little.

If a command may take at most 10 minutes, run each line separately:

  bash tests/gpu/verify.sh --limit 570 examples tests
  bash tests/gpu/verify.sh --limit 570 bench
  bash tests/gpu/verify.sh --limit 570 slow
  bash tests/gpu/verify.sh --limit 570 sanitizers

"sanitizers" means the three tools. If even one stage takes too long, name the examples that these,
bench and slow run: verify.sh racecheck softmax rms_norm. A bench of some examples keeps the
others' rows in the record if the same tree was measured on the same machine. The table and the
record name what is missing from a stopped or crashed example; run bench with its name to add
it.

Receipts name the commit. In a copy without a git repository, set RUNTIME_COMMIT to it, with
-modified if the tree differs: git describe --always --abbrev=40 --exclude='*' --dirty=-modified

The active Python must have PyTorch, NumPy, pytest, hypothesis, scikit-build-core and nanobind, and,
for the gemm example, nvidia-cutlass (install it with pip install --no-deps).
Without Sybil, the doctests are skipped. Wheels in build/wheels are installed first.
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import signal
import sys
import tarfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import stage as stages  # noqa: E402  (beside this file)
from _verify.examples import find_examples  # noqa: E402  (below a folder named above)
from _verify.layout import Layout  # noqa: E402
from _verify.tools import runtime_commit  # noqa: E402
from stage import Result  # noqa: E402

LAYOUT = Layout.of(ROOT)
OUTPUT = ROOT / "build" / "gpu"
SITE, WHEELS = ROOT / "build" / "gpu-site", ROOT / "build" / "gpu-wheels"
BIN = ROOT / "build" / "gpu-bin"
SECONDS = {
    "package": 300,
    "libraries": 540,
    "examples": 540,
    "tests": 300,
    "bench": 540,
    "memcheck": 540,
    "racecheck": 540,
    "initcheck": 540,
    "slow": 540,
}
SANITIZERS = ("memcheck", "racecheck", "initcheck")
NEED_LIBRARIES = {"examples", "bench", "slow", *SANITIZERS}
NEED_COMMIT = {"examples", "bench"}  # their records name it
COMMAND_LIMIT = 240  # seconds for one example, page or test file
END = 20  # seconds of a call's limit reserved for finishing
LOG_BYTES = 1 << 20  # packed from each log
TESTS = ("cuda_tensors", "cupy_adapter", "framework_matrix", "stream")


class Stopped(Exception):
    """A request to terminate this program."""


@dataclass(frozen=True)
class Choice:
    """The options from the command line."""

    stages: list[str]
    examples: list[str]
    jobs: int
    limit: float
    rehearse: bool

    @property
    def device(self) -> str:
        """The device that the stages use."""
        return "cpu" if self.rehearse else "cuda"


def parsed(words: list[str] | None = None) -> Choice:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, prog="verify.sh"
    )
    parser.add_argument("names", nargs="*", metavar="STAGE or EXAMPLE")
    # Jobs share the GPU; nvcc takes most of the time.
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 8))
    parser.add_argument(
        "--limit", type=float, default=float("inf"), help="seconds for all stages of this call"
    )
    parser.add_argument(
        "--rehearse", action="store_true", help="use the CPU, to try this script without a GPU"
    )
    options = parser.parse_args(words)
    chosen: set[str] = set()
    examples: list[str] = []
    there = [each.name for each in find_examples(LAYOUT)]
    for name in options.names:
        if name == "sanitizers":
            chosen.update(SANITIZERS)
        elif name in SECONDS:
            chosen.add(name)
        elif name in there:
            examples.append(name)
        else:
            expected = ", ".join([*SECONDS, "sanitizers", *there])
            parser.error(f"expected stages or examples among {expected}, got {name}")
    chosen = (chosen or set(SECONDS)) | {"package"}
    if chosen & NEED_LIBRARIES:
        chosen.add("libraries")
    order = [name for name in SECONDS if name in chosen]
    return Choice(order, examples, options.jobs, options.limit, options.rehearse)


def environment() -> dict[str, str]:
    """The environment variables of every stage."""
    path = [str(BIN), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    if not shutil.which("nvcc"):
        path.append("/usr/local/cuda/bin")
    pythonpath = [str(SITE), str(WHEELS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join(pythonpath),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "COMMAND_LIMIT": str(COMMAND_LIMIT),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # Whatever is installed, in whatever version: no plugin is loaded, and a warning does not
        # fail a test.
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-W default",
        # Otherwise JAX preallocates three quarters of the GPU's memory.
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    }


def commands(name: str, choice: Choice) -> list[list[str]]:
    """The commands of a stage, in order."""
    python = sys.executable
    verify = [python, "docs/verify.py", "--jobs", str(choice.jobs)]
    pytest = [python, "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider"]
    if name == "package":
        prepare = [python, "tests/gpu/prepare.py"]
        return [[*prepare, "--wheels"], [*prepare, *(["--rehearse"] if choice.rehearse else [])]]
    if name == "libraries":
        return [[*verify, "--compile-only"]]
    if name == "examples":
        return [[*verify, "--device", choice.device]]
    if name == "tests":
        return [[*pytest, *(f"tests/python/test_{each}.py" for each in TESTS)]]
    if name == "bench":
        measure = [python, "tests/benchmarks/kernels.py", "docs/benchmarks/kernels.json"]
        how = ["--rehearse"] if choice.rehearse else ["--device", "cuda"]
        update = ["--update"] if choice.examples and not choice.rehearse else []
        return [[*measure, *choice.examples, *how, *update]]
    if name in SANITIZERS:
        return [[python, "tests/gpu/sanitizers.py", "--tool", name, *choice.examples]]
    return [slow(pytest, choice)]


def slow(pytest: list[str], choice: Choice) -> list[str]:
    """One process per example's tests; only a few at once, since each takes gigabytes."""
    names = choice.examples or [each.name for each in find_examples(LAYOUT)]
    files = [f"tests/examples/test_{name}.py" for name in names]
    where = ["--device", choice.device, "--libraries", str(LAYOUT.libraries)]
    variables = [] if choice.rehearse else ["RUN_SLOW=1"]
    each = ["env", *variables, *pytest, *where]
    script = 'files=$1; shift; tr " " "\\n" <<< "$files" | xargs -P 4 -n 1 "$@"'
    return ["bash", "-c", script, "slow", " ".join(files), *each]


def written_files(choice: Choice) -> dict[Path, int]:
    """The receipts and records that stages write, with their modification times."""
    receipts = LAYOUT.receipts if choice.rehearse else LAYOUT.committed
    found = [*receipts.glob("*.json"), ROOT / "docs" / "benchmarks" / "kernels.json"]
    return {path: path.stat().st_mtime_ns for path in found if path.exists()}


def written_since(before: dict[Path, int], choice: Choice) -> str:
    """Describe what was written since `before`."""
    after = written_files(choice)
    names = [path.name for path, time_ in after.items() if before.get(path) != time_]
    receipts = len(names) - names.count("kernels.json")
    words = [f"{receipts} receipts"] if receipts else []
    return ", ".join([*words, *(["kernels.json"] if "kernels.json" in names else [])])


def pack(choice: Choice) -> None:
    """Pack receipts, records and logs into $OUT/verified.tgz, if OUT is set."""
    if not os.environ.get("OUT"):
        return
    target = Path(os.environ["OUT"]) / "verified.tgz"
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".unfinished")
    records = [LAYOUT.failures, LAYOUT.skips, ROOT / "build" / "frameworks.json"]
    with tarfile.open(unfinished, "w:gz") as packed:
        for path in [*written_files(choice), *records]:
            if path.exists():
                packed.add(path, path.relative_to(ROOT))
        for path in sorted(OUTPUT.glob("*")):
            data = path.read_bytes()[-LOG_BYTES:]
            entry = tarfile.TarInfo(str(path.relative_to(ROOT)))
            entry.size, entry.mtime = len(data), int(path.stat().st_mtime)
            packed.addfile(entry, io.BytesIO(data))
    unfinished.replace(target)


def run_stage(result: Result, choice: Choice, limit: float) -> None:
    """Run a stage's commands until one fails."""
    print(f"== {result.name}", flush=True)
    before = written_files(choice)
    try:
        for command in commands(result.name, choice):
            stages.run(
                *(result, command),
                cwd=ROOT,
                env=environment(),
                log=OUTPUT / f"{result.name}.log",
                limit=limit - result.seconds,
                tick=lambda: pack(choice),
            )
            if result.outcome != "passed":
                break
    finally:
        result.written = written_since(before, choice)
        print(f"== {result.name}: {result.outcome}", flush=True)


def why_not(results: list[Result], left: float) -> str:
    """Why the next stage cannot run; empty if it can."""
    if left < END:
        return f"not run: {max(left, 0):.0f} s are left of the limit"
    return "not run: package failed" if results and results[0].failed else ""


def main() -> int:
    """Run the stages and print their table; return 1 if any failed or did not run."""
    choice, begun = parsed(), time.monotonic()
    if NEED_COMMIT & set(choice.stages) and not choice.rehearse and not runtime_commit(ROOT):
        print("verify.sh: expected a git repository or RUNTIME_COMMIT, got neither: see --help")
        return 2

    def stopped(number: int, frame: object) -> None:
        raise Stopped

    signal.signal(signal.SIGTERM, stopped)
    shutil.rmtree(OUTPUT, ignore_errors=True)
    OUTPUT.mkdir(parents=True)
    results: list[Result] = []
    try:
        for name in choice.stages:
            left = begun + choice.limit - time.monotonic() - END
            result = Result(name, why_not(results, left))
            results.append(result)
            if not result.outcome:
                run_stage(result, choice, min(SECONDS[name], left))
                pack(choice)
    except (KeyboardInterrupt, Stopped):
        done = {each.name for each in results}
        results += [Result(name, "not run: stopped") for name in choice.stages if name not in done]
    told = stages.table(results)
    (OUTPUT / "table.txt").write_text(f"{told}\n")
    pack(choice)
    print(told, flush=True)
    return 1 if any(each.failed for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
