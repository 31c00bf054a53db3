# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Strict type checking of the site's build code and of the programs next to the tests.

The session lint checks the code that does not need Sphinx.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

for needed in ("mypy", "sphinx"):
    pytest.importorskip(needed, reason="comes with the site's tools, on Python 3.11")

ROOT = Path(__file__).resolve().parents[2]
CHECKED = {
    "docs": ["docs/_ext", "docs/preview.py", "docs/verify.py", "conf.py"],
    "tests/benchmarks": [
        f"tests/benchmarks/{name}.py"
        for name in (
            "baseline",
            "calls",
            "clocks",
            "instructions",
            "kernels",
            "kernels_worker",
            "leaks",
            "peers",
            "record",
            "slim",
            "timing",
        )
    ],
    "tests/emulation": ["tests/emulation/emulate.py"],
    "tests/gpu": ["tests/gpu"],
    "tests/interop": [
        *(f"tests/interop/{name}.py" for name in ("environments", "example_runtimes", "table")),
        "tests/interop/compared",
    ],
}


@pytest.mark.parametrize("folder", CHECKED)
def test_strict_checking_finds_nothing(folder, tmp_path):
    """Each folder is checked separately, since several have modules of the same name."""
    mypy = [sys.executable, "-m", "mypy", "--follow-imports=silent"]
    path = os.pathsep.join(str(ROOT / each) for each in ("docs", folder))
    done = subprocess.run(
        [*mypy, "--cache-dir", tmp_path, *CHECKED[folder]],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("Success: no issues found"), done.stdout + done.stderr
