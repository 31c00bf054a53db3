# SPDX-License-Identifier: Apache-2.0
"""Install dependency groups of pyproject.toml with the versions and hashes in lock.txt."""

from __future__ import annotations

import re
from pathlib import Path

import nox
from _verify.closure import trees_digest

from .pip_settings import uv_settings

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("lock.txt")
PACKAGE = ("CMakeLists.txt", "README.md", "pyproject.toml")  # besides include, src, python
# Groups installed without their dependencies.
ALONE = ("cutlass", "hub", "nvshmem", "tilelang", "xgrammar")
OLDEST_PIP = (26, 1)
PYPI = "https://pypi.org/simple"
# Hashes come only from PyPI: another index may lack some files of a version.
NO_OTHER_INDEX = dict.fromkeys(("UV_DEFAULT_INDEX", "UV_FIND_LINKS", "UV_INDEX"))


def variables(session: nox.Session) -> dict[str, str | None]:
    """Return the settings of pip or uv; pip would compile files one by one: see write_bytecode."""
    quick = {"PIP_COMPILE": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return {**quick, **(uv_settings() if session.venv_backend == "uv" else {})}


def installs(session: nox.Session) -> bool:
    """Whether the session may install: not under ``nox -R`` or ``--no-install``."""
    return session.run_install("python", "-c", "", log=False) is not None


def check_pip(session: nox.Session) -> None:
    """Refuse a pip that cannot read hashes from a ``-c`` file; virtualenv provides the pip."""
    if session.venv_backend == "uv":
        return
    said = session.run_install("python", "-m", "pip", "--version", silent=True, log=False)
    found = re.match(r"pip (\d+)\.(\d+)", str(said))
    if found and tuple(map(int, found.groups())) < OLDEST_PIP:
        session.log("Type: pip install -U nox virtualenv")
        session.error(f"expected pip 26.1 or newer in {session.virtualenv.location}, got {said}")


def pins(*groups: str) -> list[str]:
    """Return the requirements of dependency groups of pyproject.toml."""
    return [*nox.project.dependency_groups(nox.project.load_toml(ROOT / "pyproject.toml"), *groups)]


def install(session: nox.Session, *groups: str) -> None:
    """Install dependency groups.

    ValueError: some of them, but not all, are installed without their dependencies.
    """
    alone = {*groups} & {*ALONE}
    if alone and alone != {*groups}:
        raise ValueError(f"install: expected {', '.join(alone)} alone, got {', '.join(groups)}")
    check_pip(session)
    hashes = ["--require-hashes", "-c", str(LOCK), *(["--no-deps"] if alone else [])]
    session.install(*hashes, *pins(*groups), env=variables(session))


def install_package(session: nox.Session) -> None:
    """Build and install the package if any of its inputs has changed."""
    texts = [(ROOT / name).read_text() for name in PACKAGE if (ROOT / name).exists()]
    made_of = "\n".join([*texts, trees_digest(ROOT, ("include", "src", "python"))])
    memory = Path(session.virtualenv.location, "package.installed")
    if memory.exists() and memory.read_text() == made_of:
        return
    if not installs(session):
        session.warn("nothing is installed: the package is not that of this tree")
        return
    memory.unlink(missing_ok=True)  # the installation may fail
    options = ("--no-build-isolation", "--no-deps", "--force-reinstall")
    session.install(*options, str(ROOT), env=variables(session))
    memory.write_text(made_of)


def write_bytecode(session: nox.Session, *folders: Path) -> None:
    """Compile the modules of the session's environment, and of other folders, on all cores.

    Hundreds of processes import PyTorch, each in 1.5 s instead of 3.5 s, and the proof lets none of
    them write bytecode.
    """
    packages = [*Path(session.virtualenv.location).glob("lib/python*/site-packages"), *folders]
    command = ["python", "-m", "compileall", "-qq", "-j", "0", *map(str, packages)]
    # Some packages contain modules for another Python.
    session.run_install(*command, success_codes=[0, 1], silent=True)


def write_lock(session: nox.Session) -> None:
    """Resolve all groups at once, for every Python, and write lock.txt; keep versions if possible.

    Arguments go to uv: ``--upgrade`` takes the newest version of everything no group names.
    """
    groups = [*nox.project.load_toml(ROOT / "pyproject.toml")["dependency-groups"]]
    parts = {"all": [name for name in groups if name not in (*ALONE, "lock")], "alone": [*ALONE]}
    texts = []
    for part, names in parts.items():
        output = Path(session.create_tmp(), f"{part}.txt")
        output.write_text(LOCK.read_text() if LOCK.exists() else "")
        chosen = [word for name in names for word in ("--group", f"pyproject.toml:{name}")]
        options = ["-q", "--universal", "--python-version", "3.10", "--generate-hashes"]
        options += ["--no-header", "--no-annotate", "--no-config", "--default-index", PYPI]
        options += ["--no-deps"] if part == "alone" else []
        command = ["uv", "pip", "compile", *options, *session.posargs, *chosen]
        env = {**uv_settings(), **NO_OTHER_INDEX}
        session.run_install(*command, "-o", str(output), env=env, silent=True)
        texts.append(output.read_text())
    if installs(session):
        LOCK.write_text("# Written by nox -s lock.\n" + "".join(texts))
