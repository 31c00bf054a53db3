# SPDX-License-Identifier: Apache-2.0
"""One virtual environment that the sessions share, since one with PyTorch takes a gigabyte."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import nox
from _verify.closure import trees_digest

from . import pins
from .system import gpus, reachable

INSTALLED_TORCH = """
import importlib.metadata, pathlib
try:
    found = importlib.metadata.distribution("torch")
    print(found.version, pathlib.Path(found.locate_file("")).resolve())
except importlib.metadata.PackageNotFoundError:
    pass
"""


def torch_of(python: str) -> tuple[tuple[int, ...], str] | None:
    """The version of an interpreter's PyTorch and the folder it lies in, if it is new enough."""
    done = subprocess.run(
        [python, "-c", INSTALLED_TORCH], capture_output=True, text=True, check=False
    )
    if not done.stdout.strip():
        return None
    version, folder = done.stdout.strip().split(" ", 1)
    numbers = tuple(int(part) for part in version.split("+")[0].split(".")[:2])
    return (numbers, folder) if numbers >= pins.TORCH_FLOOR else None


def share_torch(outer: str, inner: str) -> None:
    """Let an interpreter find PyTorch where another has it, rather than install it again."""
    if found := torch_of(outer):
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        packages = subprocess.check_output([inner, "-c", code], text=True).strip()
        Path(packages, "outer.pth").write_text(f"{found[1]}\n")


def together(
    session: nox.Session, python: str, commands: Iterable[list[str]], env: dict[str, str]
) -> None:
    """Run an interpreter several times at once; each shows what it printed when it has ended."""
    with contextlib.ExitStack() as stack:
        running = []
        for command in commands:
            session.log(f"together: {' '.join(command)}")
            output = stack.enter_context(tempfile.TemporaryFile("w+", errors="replace"))
            process = subprocess.Popen(
                [python, *command], env={**os.environ, **env}, stdout=output, stderr=output
            )
            stack.callback(process.kill)  # where the session is interrupted
            running.append((process, output, command))
        for process, output, _ in running:
            process.wait()
            output.seek(0)
            print(output.read(), flush=True)
    failed = [" ".join(command) for process, _, command in running if process.returncode != 0]
    if failed:
        session.error(f"failed: {'; '.join(failed)}")


class Environment:
    """An environment of the running interpreter; all sessions share the one named "shared"."""

    def __init__(
        self,
        session: nox.Session,
        root: Path,
        name: str = "shared",
        torch_from: str = sys.executable,
    ) -> None:
        self.session = session
        self.root = root
        self.folder = root / ".nox" / f"{name}-{sys.implementation.cache_tag}"
        self.python = str(self.folder / "bin" / "python")
        if not Path(self.python).exists():
            session.run(sys.executable, "-m", "virtualenv", "-q", str(self.folder), external=True)
            share_torch(torch_from, self.python)

    def variables(self, more: dict[str, str] | None) -> dict[str, str]:
        """The variables of a command: this environment's scripts come first on the path."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {**(more or {}), "PATH": path}

    def run(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        """Run this environment's Python."""
        self.session.run(self.python, *arguments, external=True, env=self.variables(env))

    def run_together(self, *commands: list[str], env: dict[str, str]) -> None:
        """Run this environment's Python several times at once."""
        together(self.session, self.python, commands, self.variables(env))

    def pip(self, *arguments: str) -> None:
        """Install quietly. Python compiles what it imports; all of it would take longer."""
        options = ("-q", "--no-compile", "--disable-pip-version-check")
        self.run("-m", "pip", "install", *options, *arguments)

    def install(self, requirements: Iterable[str], *, alone: bool = False) -> None:
        """Install pinned requirements, once; ``alone`` without what they require themselves."""
        wanted = "\n".join(requirements)
        name, options = ("alone", ["--no-deps"]) if alone else ("requirements", [])
        if not self.remembered(name, wanted):
            self.forget(name)
            self.pip(*options, *wanted.splitlines())
            self.remember(name, wanted)

    def install_torch(self) -> None:
        """Install PyTorch, unless one that is new enough is there.

        TORCH_INDEX names an index or a folder of wheels. Without it, and without a GPU, the
        official builds for the CPU are preferred: they are a fifth of the size.
        """
        if torch_of(self.python):
            return
        given = os.environ.get("TORCH_INDEX", "")
        if given:
            where = ["--index-url" if "://" in given else "--find-links", given]
        elif not gpus() and reachable(f"{pins.TORCH_CPU_INDEX}/torch/"):
            where = ["--extra-index-url", pins.TORCH_CPU_INDEX]
        else:
            where = []
        self.pip(*where, pins.TORCH)

    def install_package(self) -> None:
        """Build and install the package, if anything that it is made of has changed."""
        files = ["CMakeLists.txt", "pyproject.toml", "README.md"]
        texts = [(self.root / name).read_text() for name in files if (self.root / name).exists()]
        trees = trees_digest(self.root, ("include", "src", "python"))
        made_of = "\n".join([*texts, trees])
        if not self.remembered("package", made_of):
            self.forget("package")
            self.pip("--no-build-isolation", "--no-deps", "--force-reinstall", str(self.root))
            self.remember("package", made_of)

    def memory(self, name: str) -> Path:
        """Name the file that remembers what was installed."""
        return self.folder / f"{name}.installed"

    def remembered(self, name: str, wanted: str) -> bool:
        """Tell whether exactly this was installed last."""
        memory = self.memory(name)
        return memory.exists() and memory.read_text() == wanted

    def remember(self, name: str, wanted: str) -> None:
        """Note what was installed."""
        self.memory(name).write_text(wanted)

    def forget(self, name: str) -> None:
        """Note that an installation has begun that may fail."""
        self.memory(name).unlink(missing_ok=True)
