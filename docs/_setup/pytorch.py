# SPDX-License-Identifier: Apache-2.0
"""PyTorch, which all environments of one Python share: it takes a gigabyte, with CUDA six."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

import nox

from .install import ROOT, variables
from .system import gpus, reachable

# Not in lock.txt: a build for the CPU, or of another index, has other hashes.
TORCH = "torch==2.13.0"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


def folder_of(cache_tag: str) -> Path:
    """Where the PyTorch of a kind of Python lies: a folder for each value of TORCH_INDEX."""
    name = f"{TORCH.replace('==', '-')}-{cache_tag}"
    if given := os.environ.get("TORCH_INDEX", ""):
        name += f"-{hashlib.sha256(given.encode()).hexdigest()[:8]}"
    return ROOT / ".nox" / name / "site-packages"


def install_torch(session: nox.Session) -> None:
    """Let the session's environment, whose Python is the running one, import PyTorch.

    TORCH_INDEX names an index or a folder of wheels. Without it, and without a GPU, the
    official builds for the CPU are preferred: they are a fifth of the size.
    """
    folder = folder_of(str(sys.implementation.cache_tag))
    if not folder.exists():
        given = os.environ.get("TORCH_INDEX", "")
        if given:
            where = ["--index-url" if "://" in given else "--find-links", given]
        elif not gpus() and reachable(f"{CPU_INDEX}/torch/"):
            where = ["--extra-index-url", CPU_INDEX]
        else:
            where = []
        partial = folder.with_name("partial")
        shutil.rmtree(partial, ignore_errors=True)
        session.install("-q", *where, "--target", str(partial), TORCH, env=variables())
        partial.rename(folder)
    share(session, folder)


def share(session: nox.Session, folder: Path) -> None:
    """Let the session's environment find what is in a folder, after what it has itself."""
    for packages in Path(session.virtualenv.location).glob("lib/python*/site-packages"):
        Path(packages, "torch.pth").write_text(f"{folder}\n")
