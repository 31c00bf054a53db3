# SPDX-License-Identifier: Apache-2.0
"""Commands as shown on a page, with their output."""

import os
import subprocess


def session(*commands, folder=None):
    """What a terminal shows for some commands, with the exit status of each that failed."""
    said = []
    for command in commands:
        done = subprocess.run(
            ["bash", "-c", f"{command} 2>&1"],
            cwd=folder,
            env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        said.append(f"$ {command}\n{done.stdout}")
        if done.returncode:
            said[-1] += f"$ echo $?\n{done.returncode}\n"
    return "\n".join(said)
