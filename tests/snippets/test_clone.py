# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The first command of the quickstart."""

import os
import subprocess


def test_clones_the_repository(shows, tmp_path):
    """The shown commands end in the folder of a clone."""
    script = shows("tests/snippets/clone.sh", "tests/snippets/test_clone.py")
    there = tmp_path / "there"
    there.mkdir()
    git = ["git", "-C", str(there), "-c", "user.name=toy", "-c", "user.email=toy@localhost"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    done = subprocess.run(
        ["bash", script],
        cwd=tmp_path,
        env={**os.environ, "ADDRESS": str(there)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Begin\n"
    assert (tmp_path / "kernel-library" / ".git").is_dir()
