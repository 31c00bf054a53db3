# SPDX-License-Identifier: Apache-2.0
"""The available tools: compilers, the device, and the versions that receipts record."""

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

TO_TYPE = {  # how to install a compiler for the examples
    "g++": "sudo apt-get install -y g++",
    "gcc": "sudo apt-get install -y gcc",
    "nvcc": "pip install nvidia-cuda-nvcc nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl "
    "nvidia-nvvm",
}

MOST_CHANGES, LONGEST_CHANGE = 20, 200  # files named in a receipt, and characters for each


def answer(*command: str, env: dict[str, str] | None = None) -> str:
    """Return a command's output, or an empty string if it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def base_environment() -> dict[str, str]:
    """Return the base environment of every command: this interpreter's scripts come first."""
    scripts = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # The same on every machine: a fixed language, and no incidentally installed pytest plugins
    # (finding and loading them would also take most of the time of a short page).
    return {
        **os.environ,
        "PATH": scripts,
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }


def find_nvcc() -> dict[str, str]:
    """Return the environment that makes an nvcc work; empty if there is none."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    given = [os.environ.get("NVCC"), "nvcc", str(Path(home) / "bin" / "nvcc") if home else None]
    for candidate in given:
        if candidate and shutil.which(candidate):
            return {"NVCC": str(shutil.which(candidate))}
    for folder in sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}):
        # The PyPI wheels of CUDA 13 share one folder; their nvcc finds all except its libraries.
        toolkit = Path(folder) / "nvidia" / "cu13"
        if (toolkit / "bin" / "nvcc").exists():
            flags = f"{os.environ.get('NVCC_APPEND_FLAGS', '')} -L{toolkit / 'lib'}".strip()
            return {"NVCC": str(toolkit / "bin" / "nvcc"), "NVCC_APPEND_FLAGS": flags}
    return {}


def find_gpu() -> dict[str, str]:
    """Return the name and driver of the GPU that PyTorch can use; empty if there is none.

    PyTorch is queried in a separate process, so that the runner never holds a device.
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
    """Return the processor's name as the system spells it."""
    try:
        names = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def package_version(name: str) -> str:
    """Return an installed distribution's version, or an empty string."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def runtime_commit(root: Path) -> dict[str, str]:
    """Return the commit of the verified runtime, and whether the tree differed from it.

    Receipts are results, not inputs: writing one does not make the tree differ. RUNTIME_COMMIT
    names the commit of a copy without a repository, with ``-modified`` if the tree differs from it.
    """
    commit = answer("git", "-C", str(root), "rev-parse", "HEAD")
    if not commit:
        named, _, modified = os.environ.get("RUNTIME_COMMIT", "").partition("-")
        return {"commit": named, "modified": "yes" if modified else "no"} if named else {}
    return {"commit": commit, "modified": "yes" if changed_files(root) else "no"}


def changed_files(root: Path) -> list[str]:
    """Return the tree's differences from its commit, one per line, in git's format."""
    results = (":!docs/verification", ":!docs/benchmarks")
    said = answer("git", "-C", str(root), "status", "--porcelain", "--", ".", *results)
    return [line.strip() for line in said.splitlines()]


def uncommitted(root: Path) -> dict[str, str]:
    """Return the first changes for a receipt, and the number of others; empty if there are none."""
    changes = changed_files(root)
    first = [line[:LONGEST_CHANGE] for line in changes[:MOST_CHANGES]]
    more = [f"and {len(changes) - len(first)} more"] if changes[MOST_CHANGES:] else []
    return {"changes": "; ".join([*first, *more])} if changes else {}


@dataclass
class Tools:
    """The tools and devices of this machine."""

    nvcc: dict[str, str]
    gpu: dict[str, str]
    compilers: dict[str, str]
    versions: dict[str, str]
    machine: dict[str, str]
    package: str  # the folder of the installed package, or an empty string
    environment: dict[str, str] = field(repr=False)

    @classmethod
    def find(cls, *, gpu: bool = True) -> Tools:
        """Detect everything once; asking PyTorch for a GPU takes seconds, and is optional."""
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
        """Return install commands for compilers that the examples need and this machine lacks."""
        return [
            f"{name} was not found. Type: {line}"
            for name, line in TO_TYPE.items()
            if name not in self.compilers
        ]

    def machine_of(self, device: str) -> dict[str, str]:
        """Return a receipt's machine fields, which include the GPU only for runs on it."""
        return {**self.machine, **(self.gpu if device == "cuda" else {})}
