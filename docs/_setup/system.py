# SPDX-License-Identifier: Apache-2.0
"""Programs that PyPI does not have: Doxygen, clang++, nvcc, and the driver of a GPU."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import urllib.error
import urllib.request

import nox


def need_program(session: nox.Session, program: str, package: str) -> None:
    """Install a program where that is allowed; else stop with the one line to type."""
    if shutil.which(program):
        return
    if not shutil.which("apt-get") or os.geteuid() != 0:
        session.error(f"{program} is missing: sudo apt-get install -y {package}")
    session.run("apt-get", "update", "-q", external=True, silent=True)
    session.run(
        *("apt-get", "install", "-y", "-q", "--no-install-recommends", package),
        external=True,
        silent=True,
        env={"DEBIAN_FRONTEND": "noninteractive"},
    )


def need_doxygen(session: nox.Session) -> None:
    """Have Doxygen, which no index of wheels has."""
    need_program(session, "doxygen", "doxygen")


def need_clang(session: nox.Session) -> None:
    """Have clang++, the second compiler that everything must suit."""
    need_program(session, "clang++", "clang")


def need_chromium(session: nox.Session) -> None:
    """Have the browser that looks at the site, and fonts to draw its text with."""
    need_program(session, "chromium", "chromium")


def has_nvcc() -> bool:
    """Whether a toolkit is installed: on the path, or where CUDA_HOME says."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    places = [os.environ.get("NVCC", "nvcc")] + ([f"{home}/bin/nvcc"] if home else [])
    return any(shutil.which(place) for place in places)


def gpus() -> str:
    """The GPUs that the driver lists, or an empty string."""
    try:
        done = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def reachable(address: str, seconds: float = 5.0) -> bool:
    """Whether a server answers soon. pip alone would retry for minutes before it goes on."""
    try:
        urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=seconds)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def switch_on_pyenv_versions() -> None:
    """Let nox find every Python of pyenv, whose commands answer only for versions switched on."""
    if not shutil.which("pyenv") or "PYENV_VERSION" in os.environ:
        return
    done = subprocess.run(
        ["pyenv", "versions", "--bare"], capture_output=True, text=True, check=False
    )
    found = done.stdout.split()
    found.sort(key=lambda name: name != platform.python_version())  # the running one stays first
    os.environ["PYENV_VERSION"] = ":".join(found)
