# SPDX-License-Identifier: Apache-2.0
"""Build the sdist, and from it this Python's wheel, twice; then call a kernel from the wheel.

The wheel's bill of materials is validated against its format's schema. The files to upload for a
release are left in the folder dist. The arguments are the requirements of the script that calls the
kernel.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "wheel"
DIST = ROOT / "dist"
# The timestamp of all files in a wheel, in seconds: the commit's, unless the variable is set.
COMMITTED = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
EPOCH = {
    "SOURCE_DATE_EPOCH": os.environ.get("SOURCE_DATE_EPOCH")
    or subprocess.check_output(COMMITTED, text=True).strip()
}


def run(*command: str | Path, cwd: Path = WORK, path: Path | None = None) -> None:
    """Print a command and run it; the programs in the folder ``path`` take precedence."""
    print("$", *command, flush=True)
    first = f"{path}{os.pathsep}" if path else ""
    env = {**os.environ, **EPOCH, "PATH": f"{first}{os.environ['PATH']}"}
    subprocess.run([str(word) for word in command], cwd=cwd, env=env, check=True)


def only(folder: Path, pattern: str) -> Path:
    """Return the only file in a folder that matches a pattern."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise RuntimeError(f"wheel.py: expected one {pattern} in {folder}, got {found}")
    return found[0]


def same(first: Path, second: Path) -> None:
    """RuntimeError: two builds of the same sources differ."""
    if first.read_bytes() != second.read_bytes():
        raise RuntimeError(f"wheel.py: expected equal bytes, got others in {first} and {second}")


def build() -> Path:
    """Build the sdist and, only from it, the wheel; return the wheel with its final tag."""
    plain, again = WORK / "plain", WORK / "again"
    run(sys.executable, "-m", "build", "--outdir", plain, ROOT)
    wheel = only(plain, "*.whl")
    run(sys.executable, "-m", "build", "--outdir", again, ROOT)
    for pattern in ("*.whl", "*.tar.gz"):
        same(only(plain, pattern), only(again, pattern))
    run(sys.executable, "-m", "auditwheel", "show", wheel)
    # Without --plat, the tag is the oldest that the wheel's symbols allow.
    run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", DIST, wheel)
    shutil.copy(only(plain, "*.tar.gz"), DIST)
    return only(DIST, "*.whl")


def check_bill(wheel: Path) -> None:
    """RuntimeError: the wheel's bill of materials is missing or invalid."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    with zipfile.ZipFile(wheel) as archive:
        (name,) = (
            each for each in archive.namelist() if ".dist-info/sboms/" in each and each[-1] != "/"
        )
        problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(archive.read(name).decode())
    if problem is not None:
        raise RuntimeError(f"wheel.py: {name}: {problem}")


def call(wheel: Path) -> None:
    """Install the wheel into an empty environment, build the scale example, call it from NumPy."""
    run(sys.executable, "-m", "venv", WORK / "venv")
    programs = WORK / "venv" / "bin"
    # The environment's own pip came with Python, and may be too old for hashes in a -c file.
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "-q"]
    run(*pip, "--require-hashes", "-c", ROOT / "docs" / "_setup" / "lock.txt", *sys.argv[1:])
    run(*pip, wheel)
    script = ROOT / "examples" / "kernel_library" / "scale" / "build_cpu.sh"
    run("bash", script, path=programs)
    run(programs / "python", ROOT / "tests" / "pythons" / "call_scale.py", "scale_cpu.so")


def main() -> None:
    """Start with empty folders, so that no old file is mistaken for a new one."""
    for folder in (WORK, DIST):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    wheel = build()
    check_bill(wheel)
    call(wheel)
    print("dist:", *sorted(path.name for path in DIST.iterdir()))


if __name__ == "__main__":
    main()
