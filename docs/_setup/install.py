# SPDX-License-Identifier: Apache-2.0
"""Install what sessions use, by pip or by uv, and nothing that lock.txt does not hold."""

from __future__ import annotations

from pathlib import Path

import nox
from _verify.closure import trees_digest

from .pip_settings import uv_settings

ROOT = Path(__file__).resolve().parents[2]
LOCK = Path(__file__).with_name("lock.txt")
PACKAGE = ("CMakeLists.txt", "README.md", "pyproject.toml")  # beside include, src and python
ALONE = ("nvshmem", "xgrammar")  # groups installed without what they require


def variables() -> dict[str, str]:
    """Python compiles what it imports; compiling all that is installed would take longer."""
    return {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_COMPILE": "1", **uv_settings()}


def pins(*groups: str) -> list[str]:
    """The requirements of dependency groups of pyproject.toml."""
    return [*nox.project.dependency_groups(nox.project.load_toml(ROOT / "pyproject.toml"), *groups)]


def install(session: nox.Session, *groups: str) -> None:
    """Install dependency groups at the versions and with the hashes of lock.txt."""
    options = ["--no-deps"] if {*groups} <= {*ALONE} else []
    hashes = ["--require-hashes", "-c", str(LOCK)]
    session.install("-q", *options, *hashes, *pins(*groups), env=variables())


def install_package(session: nox.Session) -> None:
    """Build and install the package, if anything that it is made of has changed."""
    texts = [(ROOT / name).read_text() for name in PACKAGE if (ROOT / name).exists()]
    made_of = "\n".join([*texts, trees_digest(ROOT, ("include", "src", "python"))])
    memory = Path(session.virtualenv.location, "package.installed")
    if memory.exists() and memory.read_text() == made_of:
        return
    memory.unlink(missing_ok=True)  # the installation may fail
    options = ("-q", "--no-build-isolation", "--no-deps", "--force-reinstall")
    session.install(*options, str(ROOT), env=variables())
    memory.write_text(made_of)


def write_lock(session: nox.Session) -> None:
    """Resolve all groups at once, for every Python, and write lock.txt; versions stay if they can.

    Hashes come from PyPI, since another index may have only some files of a version.
    Arguments go to uv: ``--upgrade`` takes the newest version of what no group names.
    """
    network = {"SSL_CERT_FILE", "UV_HTTP_TIMEOUT"}
    env = {name: value for name, value in uv_settings().items() if name in network}
    groups = [*nox.project.load_toml(ROOT / "pyproject.toml")["dependency-groups"]]
    parts = {"all": [name for name in groups if name not in (*ALONE, "lock")], "alone": [*ALONE]}
    texts = []
    for part, names in parts.items():
        output = Path(session.create_tmp(), f"{part}.txt")
        output.write_text(LOCK.read_text() if LOCK.exists() else "")
        chosen = [word for name in names for word in ("--group", f"pyproject.toml:{name}")]
        options = ["-q", "--universal", "--python-version", "3.10", "--generate-hashes"]
        options += ["--no-header", "--no-annotate", "--default-index", "https://pypi.org/simple"]
        options += ["--no-deps"] if part == "alone" else []
        command = ["uv", "pip", "compile", *options, *session.posargs, *chosen]
        session.run(*command, "-o", str(output), env=env, silent=True)
        texts.append(output.read_text())
    LOCK.write_text("# Written by nox -s lock.\n" + "".join(texts))
