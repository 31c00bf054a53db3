# SPDX-License-Identifier: Apache-2.0
"""Serve the site, verifying and rebuilding whatever is edited: ``nox -s docs -- --serve``."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

VERIFY = Path(__file__).resolve().with_name("verify.py")
WATCHED = ("conf.py", "examples", "include", "tests/examples", "tests/snippets")
# Files that editors and Python write beside the edited files.
IGNORED = r"__pycache__|\.(pyc|swp|swx|tmp)$|~$|/\.#|/4913$"


def command(root: Path, port: int) -> list[str]:
    """The server's command line; before each build it verifies what has changed."""
    verify = [sys.executable, str(VERIFY), "--root", str(root), "--preview"]
    watched = [str(root / name) for name in WATCHED if (root / name).exists()]
    return [
        *(sys.executable, "-u", "-m", "sphinx_autobuild", "--port", str(port)),  # unbuffered
        *("--pre-build", shlex.join(verify), "--re-ignore", IGNORED),
        *(word for path in watched for word in ("--watch", path)),
        *("-n", "-q", "-c", ".", "-D", "verify_preview=1", "docs", "build/preview"),
    ]


def main() -> None:
    """Become the server, so that Ctrl-C stops it and leaves nothing behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=VERIFY.parents[1])
    parser.add_argument("--port", type=int, default=8000, help="0: any that is free [8000]")
    options = parser.parse_args()
    root = options.root.resolve()
    os.chdir(root)
    words = command(root, options.port)
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
