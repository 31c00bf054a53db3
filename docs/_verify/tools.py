# SPDX-License-Identifier: Apache-2.0
"""The tools at hand: compilers, the device, and the versions that receipts record."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

TO_TYPE = {  # how to get a compiler of the examples
    "g++": "sudo apt-get install -y g++",
    "gcc": "sudo apt-get install -y gcc",
    "nvcc": "pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl "
    "nvidia-nvvm",
}

MOST_CHANGES, LONGEST_CHANGE = 20, 200  # files that a receipt names, and characters for each


def answer(*command: str, env: dict[str, str] | None = None) -> str:
    """A command's output, or an empty string where it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def base_environment() -> dict[str, str]:
    """The environment of every command: this interpreter's scripts come first on the path."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # The same on every machine: a fixed language, and no pytest plugin that happens to be there
    # (finding and loading them would also take most of the time of a short page).
    return {
        **os.environ,
        "PATH": scripts,
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def find_nvcc() -> dict[str, str]:
    """The environment that makes an nvcc work; empty where there is none."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    given = [os.environ.get("NVCC"), "nvcc", str(Path(home) / "bin" / "nvcc") if home else None]
    for candidate in given:
        if candidate and shutil.which(candidate):
            return {"NVCC": str(shutil.which(candidate))}
    for folder in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}):
        # The PyPI wheels of CUDA 13 share one folder; their nvcc finds all but its libraries.
        toolkit = Path(folder) / "nvidia" / "cu13"
        if (toolkit / "bin" / "nvcc").exists():
            flags = f"{os.environ.get('NVCC_APPEND_FLAGS', '')} -L{toolkit / 'lib'}".strip()
            return {"NVCC": str(toolkit / "bin" / "nvcc"), "NVCC_APPEND_FLAGS": flags}
    return {}


def find_gpu() -> dict[str, str]:
    """The GPU that PyTorch can use: its name and driver; empty where there is none.

    PyTorch is asked in a process of its own, so that the runner never holds a device.
    """
    question = (
        "import torch\n"
        "if torch.cuda.is_available(): print(torch.cuda.get_device_name(0), torch.version.cuda)"
    )
    name = answer(sys.executable, "-c", question)
    if not name:
        return {}
    name, cuda = name.rsplit(" ", 1)
    driver = answer("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    return {"gpu": name, "cuda": cuda, "driver": (driver.splitlines() or ["unknown"])[0]}


def cpu_name() -> str:
    """The processor's name as the system spells it."""
    try:
        names = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def package_version(name: str) -> str:
    """An installed distribution's version, or an empty string."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def runtime_commit(root: Path) -> dict[str, str]:
    """The commit of the runtime that was verified, and whether the tree differed from it.

    Receipts are results, not inputs: writing one does not make the tree differ. RUNTIME_COMMIT
    names the commit of a copy without a repository, with ``-modified`` if the tree differs from it.
    """
    commit = answer("git", "-C", str(root), "rev-parse", "HEAD")
    if not commit:
        named, _, modified = os.environ.get("RUNTIME_COMMIT", "").partition("-")
        return {"commit": named, "modified": "yes" if modified else "no"} if named else {}
    return {"commit": commit, "modified": "yes" if changed_files(root) else "no"}


def changed_files(root: Path) -> list[str]:
    """What the tree has that its commit has not, one to a line, as git names it."""
    results = (":!docs/verification", ":!docs/benchmarks")
    said = answer("git", "-C", str(root), "status", "--porcelain", "--", ".", *results)
    return [line.strip() for line in said.splitlines()]


def uncommitted(root: Path) -> dict[str, str]:
    """The first of these for a receipt, and how many more there are; empty if there are none."""
    changes = changed_files(root)
    first = [line[:LONGEST_CHANGE] for line in changes[:MOST_CHANGES]]
    more = [f"and {len(changes) - len(first)} more"] if changes[MOST_CHANGES:] else []
    return {"changes": "; ".join([*first, *more])} if changes else {}


@dataclass
class Tools:
    """What this machine offers."""

    nvcc: dict[str, str]
    gpu: dict[str, str]
    compilers: dict[str, str]
    versions: dict[str, str]
    machine: dict[str, str]
    package: str  # the folder of the installed package, or an empty string
    environment: dict[str, str] = field(repr=False)

    @classmethod
    def find(cls, *, gpu: bool = True) -> Tools:
        """Look around once; asking PyTorch for a GPU takes seconds, and may be left out."""
        environment = base_environment()
        nvcc = find_nvcc()
        environment.update(nvcc)
        compilers = {
            name: answer(name, "-dumpfullversion", env=environment) for name in ("g++", "gcc")
        }
        if nvcc:
            release = re.search(r"release [\d.]+, V([\d.]+)", answer(nvcc["NVCC"], "--version"))
            compilers["nvcc"] = release.group(1) if release else "unknown"
        versions = {"python": platform.python_version()}
        for name in ("torch", "numpy", "sybil", "pytest"):
            if found := package_version(name):
                versions[name] = found
        return cls(
            nvcc=nvcc,
            gpu=find_gpu() if gpu else {},
            compilers={name: found for name, found in compilers.items() if found},
            versions=versions,
            machine={"cpu": cpu_name(), "system": f"{platform.system()} {platform.machine()}"},
            package=answer("tvm-ffi-config", "--includedir", env=environment),
            environment=environment,
        )

    def missing(self) -> list[str]:
        """What to type for each compiler that the examples need and this machine lacks."""
        return [
            f"{name} was not found. Type: {line}"
            for name, line in TO_TYPE.items()
            if name not in self.compilers
        ]

    def machine_of(self, device: str) -> dict[str, str]:
        """What a receipt says of the machine: the GPU belongs to runs on it alone."""
        return {**self.machine, **(self.gpu if device == "cuda" else {})}
