# SPDX-License-Identifier: Apache-2.0
"""A small project, built with the real runner and extensions, for each test to break."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
TOY = Path(__file__).parent / "toy"
sys.path.insert(0, str(DOCS))

collect_ignore = ["toy"]  # the runner runs its tests


def sphinx_in_a_fork(
    options: list[str], folder: Path, variables: Mapping[str, str]
) -> tuple[int, str]:
    """Run ``python -m sphinx`` in a fork; return its status and output.

    A fork need not import Sphinx and the extensions, which takes three times as long as building.
    """
    from sphinx.cmd.build import main

    with tempfile.TemporaryFile("w+") as output:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
                sys.stdout, sys.stderr = (os.fdopen(number, "w", 1) for number in (1, 2))
                os.chdir(folder)
                os.environ.update(variables)
                warnings.simplefilter("ignore")  # pytest turns them into errors
                sys.path[:0] = [str(folder), *variables["PYTHONPATH"].split(os.pathsep)]
                status = main(options)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        _, ended = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(ended), output.read()


@dataclass
class Project:
    """A copy of the toy project."""

    root: Path

    def file(self, name: str) -> Path:
        """Return the path of one of its files."""
        return self.root / name

    def replace(self, name: str, old: str, new: str) -> None:
        """Edit a file, which must contain the text to replace."""
        text = self.file(name).read_text()
        assert old in text
        self.file(name).write_text(text.replace(old, new))

    def append(self, name: str, text: str) -> None:
        """Append to a file."""
        with self.file(name).open("a") as file:
            file.write(text)

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables by which its commands find the extensions and tools."""
        return {
            "EXTENSIONS_FOLDER": str(DOCS),
            "NVCC": str(self.root / "tools" / "nvcc"),
            "PYTHONPATH": os.pathsep.join([str(self.root / "python"), str(self.root / "tools")]),
        }

    def start(self, *command: str, **variables: str) -> subprocess.Popen[str]:
        """Start a Python command in the project."""
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.root,
            env={**os.environ, **self.variables, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def state(self, code: str) -> str:
        """Return the verification line below some code on the built front page."""
        page = self.file("build/site/index.html").read_text()
        found = page[page.index(code) :].partition('"snippet-verified">')[2].partition("</span>")
        return re.sub("<[^>]+>", "", found[0])

    def run(self, *command: str, **variables: str) -> tuple[int, str]:
        """Run a command in the project; return its status and output."""
        process = self.start(*command, **variables)
        said, _ = process.communicate()
        return process.returncode, said

    def verify(self, *options: str, **variables: str) -> tuple[int, str]:
        """Run the examples, pages and snippet tests."""
        return self.run(str(DOCS / "verify.py"), "--root", ".", *options, **variables)

    def site(self, *more: str) -> tuple[int, str]:
        """Build the site without -E: checking must not depend on rereading all pages."""
        options = ["-q", "-W", "-n", *more, "-c", ".", "docs", "build/site"]
        return self.sphinx(*options)

    def sphinx(self, *options: str, **variables: str) -> tuple[int, str]:
        """Run Sphinx with these options."""
        return sphinx_in_a_fork([*options], self.root, {**self.variables, **variables})

    def refused_twice(self, reason: str) -> None:
        """Verify everything, then check that two builds refuse the site for this reason."""
        self.verify()
        for _ in range(2):
            status, output = self.site()
            assert status != 0, output
            assert reason in output, output

    def build(self) -> tuple[int, str]:
        """Run both steps of the docs session, even if the first one fails."""
        (verified, said), (built, told) = self.verify(), self.site()
        return verified or built, said + told


@pytest.fixture(scope="session")
def pristine(tmp_path_factory) -> Project:
    """The unmodified project, built once."""
    pytest.importorskip("sphinx", reason="the site needs Python 3.11")
    pytest.importorskip("sybil", reason="the doctests are run by Sybil")
    root = tmp_path_factory.mktemp("pristine") / "toy"
    shutil.copytree(TOY, root)
    # A GPU's receipts name the commit that they describe.
    git = ["git", "-C", str(root), "-c", "user.name=toy", "-c", "user.email=toy@localhost"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *command], check=True)
    project = Project(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXTENSIONS_FOLDER", str(DOCS))
        patch.setattr(sys, "path", [*sys.path])
        for name in runpy.run_path(str(TOY / "conf.py"))["extensions"]:
            importlib.import_module(name)
        from sphinx.application import builtin_extensions

        for name in builtin_extensions:
            importlib.import_module(name)
    status, output = project.build()
    assert status == 0, output
    return project


@pytest.fixture
def project(pristine, tmp_path) -> Project:
    """A copy of the good project, including the results of its runs."""
    root = tmp_path / "toy"
    shutil.copytree(pristine.root, root, ignore=shutil.ignore_patterns("site", "doxygen"))
    return Project(root)
