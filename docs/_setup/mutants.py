# SPDX-License-Identifier: Apache-2.0
"""Check that tests catch the bugs planted by tests/mutants: mutants.py PEER_PYTHON [NAME...].

The first line of a patch names its test and pytest's options: the test must pass without the patch
and fail with it. For a patch of the runtime, the package is rebuilt for that test alone.
PEER_PYTHON has the published package, for interoperability tests.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

# In the folder added above:
from _setup.mutant_runtime import (  # noqa: E402
    BUILD_FILES,
    PACKAGE,
    SOURCES,
    build_again,
    changed_files,
    changes_runtime,
    install_package,
    refresh,
)

MUTANTS = ROOT / "tests" / "mutants"
NEEDED = ("docs/_setup", "docs/_verify", "examples", "tests", "pyproject.toml")
HEAD = "Caught by: "
Verdict = tuple[bool, str]  # whether a patch was caught, and its test's message


def words_of(patch: Path) -> list[str]:
    """Return the test and pytest's options, as the patch names them."""
    first = patch.read_text().split("\n", 1)[0]
    if not first.startswith(HEAD):
        raise ValueError(f"{patch.name}: expected a first line '{HEAD}TEST...', got '{first}'")
    return shlex.split(first.removeprefix(HEAD))


def run(command: list[str], folder: Path, more_path: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its output captured, and record nothing for the site."""
    variables = {key: value for key, value in os.environ.items() if key != "ROWS_RECORD"}
    variables["PYTHONPATH"] = more_path
    # A tree below build is not part of the enclosing repository, whose paths git would use.
    variables["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def test(words: list[str], tree: Path, peer: str, package: str | None) -> tuple[int, str]:
    """Build what the test loads, and run it; return pytest's status and its first error.

    ``package`` is the folder of a package that takes precedence over this environment's.
    """
    more_path = os.pathsep.join(filter(None, [package, "tests/emulation"]))
    example = Path(words[0]).stem.removeprefix("test_")
    if words[0].startswith("tests/examples/"):
        (tree / "build" / "examples").mkdir(parents=True, exist_ok=True)
        script = tree / "examples" / "kernel_library" / example / "build_cpu.sh"
        builds = {  # by the folder of the libraries the test loads
            "build/emulation": f"build({example!r}, [])",
            "build/emulation/races": f"build_watched({example!r})",
        }
        emulated = [builds[word] for word in words if word in builds]
        emulate = [sys.executable, "-c", f"import emulate; emulate.{''.join(emulated)}"]
        if emulated:
            built = run(emulate, tree, more_path)
        else:
            built = run(["bash", str(script)], tree / "build" / "examples", more_path)
        if built.returncode != 0:
            return -1, f"does not compile: {built.stderr[-300:]}"
    others = ["--peer-python", peer] if words[0].startswith("tests/interop/") else []
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = run([*pytest, *words, *others], tree, more_path)
    if " does not compile:" in done.stdout:  # a source in tests/cpp: nothing was tested
        return -1, f"does not compile: {done.stdout[-300:]}"
    lines = done.stdout.splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    thrown = [line for line in lines if " Check failed" in line or line.startswith("FAILED ")]
    return done.returncode, (errors or thrown or lines[-1:] or [done.stderr[-300:]])[0]


def judge(patch: Path, peer: str, root: Path = ROOT) -> Verdict:
    """Return whether a test catches a patch of the examples."""
    words = words_of(patch)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        refresh(tree, root, NEEDED)
        status, said = test(words, tree, peer, None)
        if status != 0:
            return False, f"fails without the patch: {said}"
        applied = run(["git", "apply", str(patch)], tree, "")
        if applied.returncode != 0:
            return False, f"does not apply: {applied.stderr.strip()}"
        status, said = test(words, tree, peer, None)
    # pytest's status is 1 if tests failed; any other nonzero status is a different error.
    return status == 1, said


def judge_runtime(patches: list[Path], peer: str, root: Path = ROOT) -> Iterator[Verdict]:
    """Yield whether the tests of runtime patches catch them, one after the other.

    All use one tree, which is kept: most patches recompile only one file.
    """
    names = (*NEEDED, *BUILD_FILES, *SOURCES)
    tree = root / "build" / "mutants" / "tree"
    package = str(tree / PACKAGE)
    refresh(tree, root, names)
    if problem := install_package(tree):
        raise SystemExit(f"without a patch {problem}")
    distinct = {tuple(words_of(patch)) for patch in patches}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tested = pool.map(lambda words: test([*words], tree, peer, package), distinct)
        before = dict(zip(distinct, tested, strict=True))
    for patch in patches:
        status, said = before[tuple(words_of(patch))]
        if status != 0:
            yield False, f"fails without the patch: {said}"
            continue
        applied = run(["git", "apply", str(patch)], tree, "")
        if applied.returncode != 0:
            yield False, f"does not apply: {applied.stderr.strip()}"
            continue
        if problem := build_again(tree):
            yield False, problem
        else:
            status, said = test(words_of(patch), tree, peer, package)
            yield status == 1, said
        refresh(tree, root, names)


def main(peer: str, wanted: list[str]) -> int:
    """Try the named patches, or all; return 1 if any is not caught."""
    patches = {path.stem: path for path in sorted(MUTANTS.glob("*.patch"))}
    if unknown := sorted(set(wanted) - set(patches)):
        raise SystemExit(f"expected names of {', '.join(patches)}, got {', '.join(unknown)}")
    chosen = [patch for name, patch in patches.items() if not wanted or name in wanted]
    # Sort by file, so that files two patches change in turn are compiled once for both.
    runtime = sorted(filter(changes_runtime, chosen), key=changed_files)
    others = [patch for patch in chosen if patch not in runtime]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = pool.map(lambda patch: judge(patch, peer), others)
        caught = sum(show(*each) for each in zip(others, verdicts, strict=True))
    if runtime:
        verdicts = judge_runtime(runtime, peer)
        caught += sum(show(*each) for each in zip(runtime, verdicts, strict=True))
    print(f"{caught} of {len(chosen)} mutants were caught")
    return 0 if caught == len(chosen) else 1


def show(patch: Path, verdict: Verdict) -> bool:
    """Print the line of a patch; return whether it was caught."""
    caught, said = verdict
    print(f"{'caught' if caught else 'NOT CAUGHT':10}  {patch.stem:34}  {said[:120]}", flush=True)
    return caught


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
