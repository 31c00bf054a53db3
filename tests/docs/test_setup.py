# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""What the nox sessions rely on: a memory of good runs, and the tools that are there."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from _verify import tools

pytest.importorskip("nox", reason="only the sessions use this")

from _setup.environment import Environment
from _setup.memory import Memory, input_digest
from _setup.system import has_nvcc, reachable


@pytest.fixture
def repository(tmp_path):
    """A repository with a tracked file, an untracked one and an ignored one."""
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("build/\n")
    (tmp_path / "tracked").write_text("1")
    subprocess.run(["git", "-C", str(tmp_path), "add", "."], check=True)
    (tmp_path / "untracked").write_text("1")
    (tmp_path / "build").mkdir()
    return tmp_path


@pytest.mark.parametrize("name", ["tracked", "untracked", "new"])
def test_any_changed_file_makes_the_session_run_again(repository, name):
    """Tracked or not yet: only what git ignores is no input."""
    before = input_digest(repository, sys.executable)
    assert input_digest(repository, sys.executable) == before
    (repository / "build" / "output").write_text("1")
    assert input_digest(repository, sys.executable) == before
    (repository / name).write_text("2")
    assert input_digest(repository, sys.executable) != before


def test_new_records_make_the_session_run_again(repository):
    """What other sessions found stands on the pages, so they are made anew."""
    records = [repository / "build" / "rows", repository / "build" / "interop.json"]
    before = input_digest(repository, sys.executable, records)
    assert input_digest(repository, sys.executable, records) == before
    records[1].write_text("{}")
    after = input_digest(repository, sys.executable, records)
    assert after != before
    records[0].mkdir()
    (records[0] / "file.json").write_text("{}")
    assert input_digest(repository, sys.executable, records) != after


def test_memory_gives_the_table_of_the_same_inputs_alone(tmp_path):
    """Other inputs, a run that has begun, or a site that is gone: there is nothing to repeat."""
    memory = Memory(tmp_path)
    memory.site.parent.mkdir()
    memory.site.write_text("site")
    memory.keep("inputs", "the table\nof two lines\n")
    assert memory.table_for("inputs") == "the table\nof two lines\n"
    assert memory.table_for("others") is None
    memory.site.unlink()
    assert memory.table_for("inputs") is None
    memory.site.write_text("site")
    memory.forget()
    assert memory.table_for("inputs") is None


def test_server_that_is_not_there_is_given_up(monkeypatch):
    """An index that cannot be reached is left out rather than waited for."""
    assert not reachable("http://127.0.0.1:9/simple/", seconds=1)


def test_nvcc_of_the_wheels_is_found_with_its_libraries(tmp_path, monkeypatch):
    """Without an installed toolkit, nvcc comes from site-packages with a path to link by."""
    nvcc = tmp_path / "nvidia" / "cu13" / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.touch()
    monkeypatch.setattr(tools.sysconfig, "get_path", lambda _: str(tmp_path))
    for name in ("NVCC", "CUDA_HOME", "CUDA_PATH", "NVCC_APPEND_FLAGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not has_nvcc()
    assert tools.find_nvcc() == {
        "NVCC": str(nvcc),
        "NVCC_APPEND_FLAGS": f"-L{tmp_path / 'nvidia' / 'cu13' / 'lib'}",
    }


def test_nvcc_of_cuda_home_is_preferred_to_the_wheels(tmp_path, monkeypatch):
    """A toolkit that is installed is the one to use."""
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.delenv("NVCC", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert has_nvcc()
    assert tools.find_nvcc() == {"NVCC": str(nvcc)}


def test_readers_and_ci_run_the_same_sessions():
    """The README, AGENTS.md, CI and plain ``nox`` name the same sessions in the same order."""
    root = Path(__file__).parents[2]
    noxfile = (root / "noxfile.py").read_text()
    sessions = re.search(r"options.sessions = (\[.*?\n\])", noxfile, re.DOTALL).group(1)
    command = f"nox -s {' '.join(ast.literal_eval(sessions))}"
    for name in ("README.md", "AGENTS.md", ".ci/run"):
        assert command in (root / name).read_text(), name


class Session:
    """As much of a nox session as running commands together takes."""

    def log(self, text):
        """Say nothing."""

    def error(self, text):
        """Fail as nox does, by an exception."""
        raise RuntimeError(text)


def test_commands_that_run_together_all_count(capfd):
    """Each sees the variables and prints in order; one that fails fails the session by name."""
    environment = Environment.__new__(Environment)
    environment.session, environment.folder = Session(), Path(sys.prefix)
    environment.python = sys.executable
    say = "import os, sys; print(os.environ['WORD'], sys.argv[1:]); sys.exit(len(sys.argv) - 1)"
    environment.run_together(["-c", say], ["-c", say], env={"WORD": "hello"})
    assert capfd.readouterr().out.split() == ["hello", "[]"] * 2
    with pytest.raises(RuntimeError, match=r"failed: -c .* bad$"):
        environment.run_together(["-c", say, "bad"], ["-c", say], env={"WORD": "again"})
    assert capfd.readouterr().out.split() == ["again", "['bad']", "again", "[]"]
