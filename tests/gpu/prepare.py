# SPDX-License-Identifier: Apache-2.0
"""Check what verify.sh needs, then build the package into build/gpu-site: prepare.py [--rehearse].

Wheels in build/wheels are installed first, into build/gpu-wheels. Nothing is downloaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from _verify.closure import digest, trees_digest  # noqa: E402  (below a folder named above)
from _verify.tools import find_nvcc  # noqa: E402

SITE, BUILD = ROOT / "build" / "gpu-site", ROOT / "build" / "gpu-package"
BIN = ROOT / "build" / "gpu-bin"
WHEELS, UNPACKED = ROOT / "build" / "wheels", ROOT / "build" / "gpu-wheels"
# Distributions and the oldest versions that can build the package and run its tests.
# pyproject.toml pins nanobind for builds that may download it; any of these versions works.
NEEDED = {
    "nanobind": "2.0",
    "scikit-build-core": "0.11",
    "torch": "2.10",
    "numpy": "2.0",
    "pytest": "8.0",
    "hypothesis": "6.0",
}
PIP = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--upgrade"]
PROBE = "import torch; torch.ones(9, device='cuda').add_(1).sum().item()"


def numbers(text: str) -> tuple[int, ...]:
    """The first two components of a version."""
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def problems(*, gpu: bool) -> Iterator[str]:
    """Report everything that is missing or too old, with what was expected and found."""
    for name, oldest in NEEDED.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "none"
        if found == "none" or numbers(found) < numbers(oldest):
            yield f"{name}: expected {oldest} or newer, got {found}"
    # By path only: setuptools disables its distutils when it detects a search for pip.
    if PathFinder.find_spec("pip") is None:
        yield f"pip: expected {sys.executable} to have it"
    for program in ("cmake", "ninja"):
        if not shutil.which(program) and PathFinder.find_spec(program) is None:
            yield f"{program}: expected it on PATH or as a Python package, got none"
    if not shutil.which("g++"):
        yield "g++: expected it on PATH, got none"
    if not find_nvcc():
        yield "nvcc: expected it on PATH or below CUDA_HOME, got none"
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        yield f"Python's headers: expected {header}, which does not exist"
    if gpu and (said := cannot_use_gpu()):
        yield f"GPU: expected one that PyTorch can use, got {said}"


def cannot_use_gpu() -> str:
    """Why PyTorch cannot compute on a GPU; empty if it can."""
    try:
        command = [sys.executable, "-c", PROBE]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return "no answer in 180 s"
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return last if done.returncode else ""


def install_wheels() -> int:
    """Install the provided wheels, if any."""
    wheels = sorted(str(path) for path in WHEELS.glob("*.whl"))
    if not wheels:
        return 0
    print("installing", *(Path(path).name for path in wheels), flush=True)
    return subprocess.run([*PIP, "--target", str(UNPACKED), *wheels], check=False).returncode


def made_of() -> str:
    """A text that identifies all inputs of the package's build."""
    files = [digest(ROOT / name) for name in ("CMakeLists.txt", "pyproject.toml")]
    built_by = [f"{name} {version(name)}" for name in ("nanobind", "scikit-build-core")]
    return " ".join([trees_digest(ROOT, ("include", "src", "python")), *files, *built_by])


def build() -> int:
    """Build and install the package, unless nothing has changed."""
    stamp, key = SITE / "made_of", made_of()
    if stamp.exists() and stamp.read_text() == key:
        print("the package is unchanged")
        return 0
    for folder in (SITE, BIN, BUILD):  # CMake would keep using the nanobind that it found before
        shutil.rmtree(folder, ignore_errors=True)
    how = ["--no-build-isolation", "--config-settings", f"build-dir={BUILD}"]
    command = [*PIP, *how, "--target", str(SITE), str(ROOT)]
    status = subprocess.run(command, check=False).returncode
    if status == 0:
        # CMake searches the parent of a bin on PATH; pages show that it must be given a path.
        (SITE / "bin").rename(BIN)
        stamp.write_text(key)
    return status


def main() -> int:
    """Prepare; return 1 if something is missing or the build fails."""
    if "--wheels" in sys.argv:
        return install_wheels()
    print("python", sys.version.split()[0], "at", sys.executable)
    for name in (*NEEDED, "jax", "cupy-cuda13x", "sybil", "nvidia-cutlass", "nvidia-nvshmem-cu13"):
        try:
            print(name, version(name))
        except PackageNotFoundError:
            print(name, "is not installed")
    found = list(problems(gpu="--rehearse" not in sys.argv))
    for problem in found:
        print(f"FAILED {problem}")
    if found:
        python = ".".join(map(str, sys.version_info[:2]))
        print(
            "A missing Python package can be brought as a wheel. Where there is a network:\n"
            f"  python -m pip download --only-binary=:all: --python-version {python}"
            " --no-deps -d build/wheels NAME==VERSION"
        )
        return 1
    os.chdir(ROOT)
    return build()


if __name__ == "__main__":
    sys.exit(main())
