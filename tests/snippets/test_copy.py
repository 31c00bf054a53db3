# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The examples, copied out of the repository as the pages and the README say."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_copied_examples_work(shows, tmp_path):
    """A copied folder and the utility header build and run anywhere."""
    script = shows("tests/snippets/copy.sh", "tests/snippets/test_copy.py")
    clone, folder = tmp_path / "clone", tmp_path / "my-kernels"
    clone.mkdir()
    done = subprocess.run(
        ["bash", script],
        cwd=clone,
        env={**os.environ, "CLONE": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("add_one", "scale", "softmax"):
        assert f"{name}_cpu.so gives the right results" in done.stdout
        assert (folder / f"{name}_cpu.so").exists()


def test_readme_links_to_what_is_there():
    """Every file that the README shows or links to exists."""
    targets = re.findall(r"\]\(([^)#]+)\)", (ROOT / "README.md").read_text())
    missing = [name for name in targets if "://" not in name and not (ROOT / name).exists()]
    assert targets
    assert not missing
