# SPDX-License-Identifier: Apache-2.0
"""Check with clang-tidy that headers and sources include what they use, per .clang-tidy."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def check(path: Path) -> str:
    """Return the findings of one file; an empty string if there are none."""
    flags = ["-xc++", "-std=c++17", f"-I{ROOT / 'include'}"]
    done = subprocess.run(
        ["clang-tidy", "--quiet", f"--config-file={ROOT / '.clang-tidy'}", path, "--", *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    # On stderr it counts warnings from third-party headers, which are irrelevant.
    return f"{done.stdout}{done.stderr}" if done.returncode else ""


def main() -> int:
    """Check every file that needs no CUDA; return 1 if anything was found."""
    headers = (path for path in (ROOT / "include/tvm").rglob("*.h") if "cuda" not in path.parts)
    files = sorted([*headers, *(ROOT / "src").glob("*.cc"), *(ROOT / "src").glob("*.h")])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(check, files) if text]
    print(*findings, f"includes of {len(files)} files, {len(findings)} with findings", sep="\n")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
