# SPDX-License-Identifier: Apache-2.0
"""Commands that must succeed."""

import os
import subprocess


def run(*command, folder, timeout=None, **variables):
    """Run a command in the folder, for `timeout` seconds at most; give what it prints."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
