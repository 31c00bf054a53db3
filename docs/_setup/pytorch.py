# SPDX-License-Identifier: Apache-2.0
"""Share PyTorch among all environments of a Python: it takes 1 GB on disk, or 6 GB with CUDA."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import nox

from .install import NO_OTHER_INDEX, installs, variables, write_bytecode
from .system import gpus, reachable

# Not in lock.txt: a CPU build, or one from another index, has different hashes.
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def torch_index(session: nox.Session) -> str:
    """Return TORCH_INDEX, an index or a folder of wheels, or an empty string if unset."""
    given = os.environ.get("TORCH_INDEX", "")
    if not given or "://" in given:
        return given
    folder = Path(session.invoked_from, given).expanduser()
    if not folder.is_dir():
        session.error(f"TORCH_INDEX: expected an index or a folder of wheels, got {given}")
    return str(folder)


def folder_of(session: nox.Session, cache_tag: str) -> Path:
    """Return the PyTorch folder for a Python version; each TORCH_INDEX value has its own."""
    name = f"{TORCH.replace('==', '-')}-{cache_tag}"
    if given := torch_index(session):
        name += f"-{hashlib.sha256(given.encode()).hexdigest()[:8]}"
    return Path(session.env_dir).with_name(name).absolute() / "site-packages"


def install_torch(session: nox.Session) -> None:
    """Let the session's environment, whose Python is the running one, import PyTorch.

    Without TORCH_INDEX and without a GPU, prefer the official CPU builds, which are a fifth of
    the size.
    """
    folder = folder_of(session, str(sys.implementation.cache_tag))
    if not folder.exists():
        if not installs(session):
            session.error("nothing is installed, and PyTorch is missing")
        env, given = variables(session), torch_index(session)
        if "://" in given:
            where = ["--index-url", given]
            env |= NO_OTHER_INDEX if session.venv_backend == "uv" else {}
        elif given:
            where = ["--find-links", given]
        elif not gpus() and reachable(f"{CPU_INDEX}/torch/"):
            where = ["--extra-index-url", CPU_INDEX]
        else:
            where = []
        partial = folder.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        session.install(*where, "--target", str(partial), TORCH, env=env)
        partial.rename(folder)
    share(session, folder)
    write_bytecode(session, folder)


def share(session: nox.Session, folder: Path) -> None:
    """Let the session's environment import from a folder, after its own packages."""
    for packages in Path(session.virtualenv.location).glob("lib/python*/site-packages"):
        Path(packages, "torch.pth").write_text(f"{folder}\n" if folder.exists() else "")
