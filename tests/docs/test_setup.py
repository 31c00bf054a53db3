# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""Prerequisites of the nox sessions: available tools, or the command that installs them."""

import ast
import importlib
import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from _verify import rows, tools

pytest.importorskip("nox", reason="only the sessions use this")

from _setup import minutes, system
from _setup.environment import Environment
from _setup.minutes import skip_if_late
from _setup.system import has_nvcc, need, reachable, want
from nox.command import CommandFailed


def test_server_that_is_not_there_is_given_up(monkeypatch):
    """An unreachable index is left out rather than waited for."""
    assert not reachable("http://127.0.0.1:9/simple/", seconds=1)


def test_nvcc_of_the_wheels_is_found_with_its_libraries(tmp_path, monkeypatch):
    """Without an installed toolkit, nvcc comes from site-packages, with a library path."""
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
    """An installed toolkit takes precedence."""
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
    assert f"MINUTES=82 {command}" in (root / "README.md").read_text()
    assert f"MINUTES=82 {command}" in (root / ".ci" / "run").read_text()


def test_session_tests_leaves_out_what_other_sessions_run(monkeypatch):
    """A skip in the wrong session would outrank a test that has not run."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    noxfile = importlib.import_module("noxfile")
    commands = []

    class Recorder:
        """Records the commands that an environment would run."""

        def __init__(self, session):
            """Ignore the session."""

        def run_together(self, *shares, env):
            """Record the commands."""
            commands.extend(shares)

    monkeypatch.setattr(noxfile, "Environment", Recorder)
    monkeypatch.setattr(noxfile, "want", lambda session, *names: None)
    noxfile.tests.func(SimpleNamespace(posargs=[]))
    assert len(commands) == 2
    for command in commands:
        left_out = {folder for folder in rows.SESSIONS if f"--ignore={folder}" in command}
        assert left_out >= {*rows.SESSIONS} - {"tests/docs"}


class Session:
    """The part of a nox session needed to run commands together."""

    def __init__(self):
        self.commands = []
        self.said = []
        self.env_dir = Path(sys.prefix)

    def log(self, text):
        """Record a message."""
        self.said.append(text)

    def run(self, *command, **options):
        """Record the command without running it."""
        self.commands.append(" ".join(command))

    def error(self, text):
        """Raise an exception, as nox does."""
        raise RuntimeError(text)

    def skip(self, text):
        """Raise an exception, as nox does."""
        raise LookupError(text)


@pytest.fixture
def bare(monkeypatch):
    """A machine with git and apt-get, but without a compiler or Python's headers."""
    there = {"git": "/bin/git", "apt-get": "/bin/apt-get"}
    monkeypatch.setattr(system.shutil, "which", there.get)
    monkeypatch.setattr(system.sysconfig, "get_path", lambda _: os.devnull)
    return there


LINE = "apt-get install -y --no-install-recommends doxygen g++ python3-dev"


def test_user_is_told_at_once_what_to_type(bare, monkeypatch):
    """One command covers everything that is missing, and nothing is run."""
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    session = Session()
    with pytest.raises(RuntimeError, match=r"missing: g\+\+, Python.h, doxygen$"):
        need(session, "git", "g++", "Python.h", "doxygen")
    assert session.said == [f"Type: sudo {LINE}"]
    assert session.commands == []


def test_root_installs_what_is_missing(bare, monkeypatch):
    """apt-get installs the packages; if something is still missing, that is an error."""
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    session = Session()
    with pytest.raises(RuntimeError, match=r"still missing after apt-get install .*: g"):
        need(session, "git", "g++", "Python.h", "doxygen")
    assert session.commands == ["apt-get update -q", LINE]
    need(session, "git")
    assert len(session.commands) == 2


def test_what_is_only_wanted_is_no_error(bare, monkeypatch):
    """A user is not asked for a password, and root continues without a network."""
    session = Session()
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    want(session, "valgrind")
    assert session.commands == []
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)

    def fail(*command, **options):
        raise CommandFailed

    monkeypatch.setattr(session, "run", fail)
    want(session, "valgrind")
    assert session.said == ["not installed: valgrind"]
    bare["valgrind"] = "/bin/valgrind"
    want(session, "valgrind")
    assert len(session.said) == 1


def test_machine_without_apt_is_told_the_names(bare, monkeypatch):
    """Other systems have other package managers, so Debian's names are given."""
    del bare["apt-get"]
    with pytest.raises(RuntimeError, match=r"missing: doxygen \(Debian's packages: doxygen\)$"):
        need(Session(), "doxygen")


def test_commands_that_run_together_all_count(capfd):
    """Each command gets the variables and prints in order; a failure is named."""
    environment = Environment(Session(), Path(sys.prefix).name)
    assert environment.python == f"{sys.prefix}/bin/python"
    say = "import os, sys; print(os.environ['WORD'], sys.argv[1:]); sys.exit(len(sys.argv) - 1)"
    environment.run_together(["-c", say], ["-c", say], env={"WORD": "hello"})
    assert capfd.readouterr().out.split() == ["hello", "[]"] * 2
    with pytest.raises(RuntimeError, match=r"failed: -c .* bad$"):
        environment.run_together(["-c", say, "bad"], ["-c", say], env={"WORD": "again"})
    assert capfd.readouterr().out.split() == ["again", "['bad']", "again", "[]"]


def test_environment_that_is_not_there_is_named():
    """An environment may be missing if nox was told to skip required sessions."""
    with pytest.raises(RuntimeError, match=r"missing is missing\. Type: nox -s missing$"):
        Environment(Session(), "missing")


def test_scripts_of_the_environment_come_first(capfd):
    """The environment's own tools take precedence for its programs."""
    environment = Environment(Session(), Path(sys.prefix).name)
    say = "import os; print(os.environ['PATH'].split(os.pathsep)[0])"
    environment.run_together(["-c", say], env={})
    assert capfd.readouterr().out.strip() == f"{sys.prefix}/bin"


def test_late_sessions_are_skipped(monkeypatch):
    """Sessions are skipped only if MINUTES is set, which must be a positive number."""
    monkeypatch.setattr(minutes, "STARTED", time.monotonic() - 600)
    monkeypatch.delenv("MINUTES", raising=False)
    skip_if_late(Session(), 1000)
    monkeypatch.setenv("MINUTES", "15.5")
    skip_if_late(Session(), 5)
    said = r"^10 minutes have passed, it takes about 6, and MINUTES is 15.5$"
    with pytest.raises(LookupError, match=said):
        skip_if_late(Session(), 6)
    monkeypatch.setenv("MINUTES", "an hour")
    with pytest.raises(RuntimeError, match="MINUTES: expected a number, got 'an hour'"):
        skip_if_late(Session(), 1)
    for never in ("0", "-1", "nan"):
        monkeypatch.setenv("MINUTES", never)
        with pytest.raises(RuntimeError, match=f"expected a number above 0, got '{never}'"):
            skip_if_late(Session(), 1)
