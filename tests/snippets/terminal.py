# SPDX-License-Identifier: Apache-2.0
"""Commands as a page shows them, with what they print."""

import os
import subprocess


def session(*commands, folder=None):
    """What a terminal shows of some commands, with each one's exit status if it failed."""
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
