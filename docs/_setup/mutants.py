# SPDX-License-Identifier: Apache-2.0
"""Check that tests catch the bugs that tests/mutants plants: mutants.py PEER_PYTHON [NAME...].

The first line of a patch names its test and pytest's options: the test must pass without the patch
and fail with it. PEER_PYTHON has the published package, for tests of interoperability.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MUTANTS = ROOT / "tests" / "mutants"
NEEDED = ("docs/_setup", "docs/_verify", "examples", "tests", "pyproject.toml")
HEAD = "Caught by: "


def words_of(patch: Path) -> list[str]:
    """The test and pytest's options, as the patch names them."""
    first = patch.read_text().split("\n", 1)[0]
    if not first.startswith(HEAD):
        raise ValueError(f"{patch.name}: expected a first line '{HEAD}TEST...', got '{first}'")
    return shlex.split(first.removeprefix(HEAD))


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with its output captured, and nothing recorded on the site."""
    variables = {key: value for key, value in os.environ.items() if key != "ROWS_RECORD"}
    variables["PYTHONPATH"] = "tests/emulation"
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def test(words: list[str], tree: Path, peer: str) -> tuple[int, str]:
    """Build what the test loads, and run it; pytest's status, and its first error."""
    example = Path(words[0]).stem.removeprefix("test_")
    if words[0].startswith("tests/examples/"):
        (tree / "build" / "examples").mkdir(parents=True, exist_ok=True)
        script = tree / "examples" / "kernel_library" / example / "build_cpu.sh"
        builds = {  # by the folder of the libraries that the test loads
            "build/emulation": f"build({example!r}, [])",
            "build/emulation/races": f"build_watched({example!r})",
        }
        emulated = [builds[word] for word in words if word in builds]
        emulate = [sys.executable, "-c", f"import emulate; emulate.{''.join(emulated)}"]
        built = (
            run(emulate, tree) if emulated else run(["bash", str(script)], tree / "build/examples")
        )
        if built.returncode != 0:
            return -1, f"does not compile: {built.stderr[-300:]}"
    others = ["--peer-python", peer] if words[0].startswith("tests/interop/") else []
    done = run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, *others], tree
    )
    errors = [line[1:].strip() for line in done.stdout.splitlines() if line.startswith("E ")]
    return done.returncode, (errors or done.stdout.splitlines()[-1:] or [done.stderr[-300:]])[0]


def judge(patch: Path, peer: str, root: Path = ROOT) -> tuple[bool, str]:
    """Whether the patch's test catches it, and the test's words."""
    words = words_of(patch)
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in NEEDED:
            if (root / name).is_dir():
                shutil.copytree(root / name, tree / name, ignore=shutil.ignore_patterns("*.pyc"))
            elif (root / name).exists():
                shutil.copy(root / name, tree / name)
        status, said = test(words, tree, peer)
        if status != 0:
            return False, f"fails without the patch: {said}"
        applied = run(["git", "apply", str(patch)], tree)
        if applied.returncode != 0:
            return False, f"does not apply: {applied.stderr.strip()}"
        status, said = test(words, tree, peer)
    # pytest's status is 1 where tests failed; another one is an error of something else.
    return status == 1, said


def main(peer: str, wanted: list[str]) -> int:
    """Try the named patches, or all; 1 if one is not caught."""
    patches = {path.stem: path for path in sorted(MUTANTS.glob("*.patch"))}
    if unknown := sorted(set(wanted) - set(patches)):
        raise SystemExit(f"expected names of {', '.join(patches)}, got {', '.join(unknown)}")
    chosen = [patch for name, patch in patches.items() if not wanted or name in wanted]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        verdicts = list(pool.map(lambda patch: judge(patch, peer), chosen))
    for patch, (caught, said) in zip(chosen, verdicts, strict=True):
        print(f"{'caught' if caught else 'NOT CAUGHT':10}  {patch.stem:30}  {said[:120]}")
    print(f"{sum(caught for caught, _ in verdicts)} of {len(chosen)} mutants were caught")
    return 0 if all(caught for caught, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
