# SPDX-License-Identifier: Apache-2.0
"""System requirements that PyPI does not provide: compilers, Doxygen, a browser, a GPU driver."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sysconfig
import urllib.error
import urllib.request
from pathlib import Path

import nox
from nox.command import CommandFailed

# Requirements of the sessions that PyPI does not provide: the Debian package of each.
PACKAGES = {
    "Python.h": "python3-dev",
    "chromium": "chromium",
    "clang++": "clang",
    "debootstrap": "debootstrap",
    "doxygen": "doxygen",
    "g++": "g++",
    "gcov": "gcc",
    "git": "git",
    "hipcc": "hipcc",
    "libssh.so.4": "libssh-4",
    "valgrind": "valgrind",
}
DOCS_PYTHON = (3, 11)  # minimum of the pinned Sphinx
BUILDING = ("g++", "git", "Python.h")  # to build the package and the examples


def is_there(need: str) -> bool:
    """Whether a program is on the path, or a library or a header of Python is installed."""
    if need.endswith(".h"):
        return Path(sysconfig.get_path("include"), need).exists()
    if ".so." in need:
        return any(Path("/usr/lib").glob(f"*-linux-gnu/{need}"))
    return shutil.which(need) is not None


def need(session: nox.Session, *needs: str) -> None:
    """Install missing packages if root; otherwise print the command to type, and stop."""
    missing = [need for need in needs if not is_there(need)]
    if not missing:
        return
    packages = sorted(PACKAGES[need] for need in missing)
    line = f"apt-get install -y --no-install-recommends {' '.join(packages)}"
    if not shutil.which("apt-get"):
        session.error(f"missing: {', '.join(missing)} (Debian's packages: {' '.join(packages)})")
    if os.geteuid() != 0:
        # Not in the error: nox appends a period, which apt-get would treat as a pattern.
        session.log(f"Type: sudo {line}")
        session.error(f"missing: {', '.join(missing)}")
    for command in ("apt-get update -q", line):
        env = {"DEBIAN_FRONTEND": "noninteractive"}
        session.run(*command.split(), external=True, silent=True, env=env)
    if still := [need for need in missing if not is_there(need)]:
        session.error(f"still missing after {line}: {', '.join(still)}")


def want(session: nox.Session, *wanted: str) -> None:
    """Install missing packages if no password is needed; without them, tests are skipped."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    try:
        need(session, *wanted)
    except CommandFailed:
        session.log(f"not installed: {', '.join(wanted)}")


def has_nvcc() -> bool:
    """Whether a CUDA toolkit is installed: on the path, or in CUDA_HOME."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    places = [os.environ.get("NVCC", "nvcc")] + ([f"{home}/bin/nvcc"] if home else [])
    return any(shutil.which(place) for place in places)


def gpus() -> str:
    """Return the GPUs that the driver lists, or an empty string."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def reachable(address: str, seconds: float = 5.0) -> bool:
    """Whether a server answers soon. Otherwise pip would retry for minutes before continuing."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def switch_on_pyenv_versions() -> None:
    """Let nox find all pyenv Pythons, whose commands work only for activated versions."""
    if not shutil.which("pyenv") or "PYENV_VERSION" in os.environ:
        return
    done = subprocess.run(
        ["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False
    )
    found = done.stdout.split()
    found.sort(key=lambda name: name != platform.python_version())  # the running one stays first
    os.environ["PYENV_VERSION"] = ":".join(found)
