# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The session that follows the README on bare systems: which commands it types, and where."""

import os
import re
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("nox", reason="only the sessions use this")

from _setup import bare_system
from _setup.bare_system import System, pip_configuration, readme_commands
from _setup.fresh import RESULTS, choose, uncommitted, why_no_bare_system

README = (Path(__file__).parents[2] / "README.md").read_text()


def test_commands_are_those_of_the_readme():
    """The commands of both sections are typed in order, without comments."""
    commands = readme_commands(README)
    assert commands[0] == "sudo apt-get update"
    assert commands[1].startswith("sudo apt-get install -y g++ ")
    assert "#" not in "".join(commands)
    verify = commands.index("nox -s docs")
    assert commands[verify : verify + 3] == ["nox -s docs", "nox -s tests machinery", "CLONE=$PWD"]
    assert commands[-1] == "python scale/load_scale.py"


SECTION = "## {}\n\n```sh\ntrue\n```\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        SECTION.format("Use it"),
        SECTION.format("Verify everything yourself"),
        SECTION.format("Use it") + "## Verify everything yourself\n\nno commands\n",
    ],
)
def test_section_without_commands_is_an_error(text):
    """A section without commands would prove nothing."""
    with pytest.raises(ValueError, match=r"README.md: expected shell commands under '## (Ver|Use)"):
        readme_commands(text)


def test_arguments_choose_systems_and_readers():
    """The defaults are Debian 12 and a user; an unknown word is an error."""
    assert choose([])[0] == [("bookworm", "user")]
    assert choose(["root", "sid", "trixie"])[0] == [("trixie", "root"), ("sid", "root")]
    with pytest.raises(ValueError, match=r"fresh: expected some of bookworm, .*, got buster"):
        choose(["buster"])


def test_tests_are_left_out_unless_asked_for():
    """The skipped command is one of the README's, so its name cannot go stale."""
    assert choose([])[1] == ["nox -s tests machinery"]
    assert "nox -s tests machinery" in readme_commands(README)
    assert choose(["tests", "sid"]) == ([("sid", "user")], [])


class Typed(System):
    """A system that runs nothing: each command ends as listed."""

    def __init__(self, endings):
        super().__init__("bookworm", "user", Path("/nowhere"))
        self.endings = endings
        self.typed = []

    def hand_over(self):
        """Copy nothing, as there is no root."""

    def type(self, script, *, root=False):
        """Record who typed what."""
        self.typed.append(("root" if root else "user", script))
        return self.endings.pop(0)


def test_shell_state_is_kept_and_the_line_that_nox_prints_is_typed():
    """Each command runs in the clone, with the environment set up by earlier commands."""
    asks = "nox > Type: sudo apt-get install -y doxygen\nnox > Session failed: missing: doxygen.\n"
    system = Typed([(0, ""), (0, ""), (0, ""), (1, asks), (0, ""), (0, "")])
    assert system.follow([". .venv/bin/activate", "A=$PWD", "mkdir b", "nox -s docs"])
    state = "cd /home/user/clone && . .venv/bin/activate"
    docs = f"{state} && A=$PWD && nox -s docs"
    install = "apt-get install -q -y doxygen -o APT::Install-Recommends=false"
    assert system.typed == [
        ("user", state),
        ("user", f"{state} && A=$PWD"),
        ("user", f"{state} && A=$PWD && mkdir b"),
        ("user", docs),
        ("root", install),
        ("user", docs),
    ]
    assert [(ran.command, ran.status) for ran in system.ran[3:]] == [
        ("nox -s docs", 1),
        ("sudo apt-get install -y doxygen", 0),
        ("nox -s docs", 0),
    ]


def test_failed_command_ends_it(capsys):
    """The end of the failed command's output is shown, and nothing else is typed."""
    system = Typed([(1, "it broke\n")])
    assert not system.follow(["nox -s docs", "nox -s tests"])
    assert len(system.typed) == 1
    assert capsys.readouterr().out.endswith("it broke\n")


def test_pip_finds_the_local_paths_of_this_machine(tmp_path, monkeypatch):
    """A file or wheel folder is used as it is; for an index, the folder with its files is added."""
    wheels, index = tmp_path / "wheels", tmp_path / "pypi" / "simple"
    for folder in (wheels, index):
        folder.mkdir(parents=True)
    config = tmp_path / "pip.conf"
    config.write_text(f"[global]\nextra-index-url = file://{index}\ntimeout = 7\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CERT", str(config))
    file, paths = pip_configuration()
    assert {wheels, index.parent, config} <= paths
    assert f"extra-index-url = file://{index}" in file
    assert "timeout = 7" in file


def test_results_leave_out_the_list_of_snippets():
    """The results are printed; the hundreds of snippets are only in the log."""
    text = "noise\nExamples\n  row\nDoctests: 9\nSnippets\nmany\nsnippets verified = 1 of 1\nx\n"
    assert RESULTS.findall(text) == ["Examples\n  row\nDoctests: 9\n", "snippets verified = 1 of 1"]


def test_mirror_is_read_from_either_kind_of_source(tmp_path, monkeypatch):
    """The mirror may be given on one line or in fields."""
    apt = tmp_path / "apt"
    (apt / "sources.list.d").mkdir(parents=True)
    monkeypatch.setattr(bare_system, "Path", lambda path: apt if path == "/etc/apt" else Path(path))
    assert bare_system.debian_mirror() == "http://deb.debian.org/debian"
    source = apt / "sources.list.d" / "debian.sources"
    source.write_text("Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie\n")
    assert bare_system.debian_mirror() == "http://mirror.example/debian"
    (apt / "sources.list").write_text("deb [arch=amd64] https://other.example/debian/ sid main\n")
    assert bare_system.debian_mirror() == "https://other.example/debian/"


def test_part_of_the_system_is_not_mounted(monkeypatch):
    """Mounting part of this system would hide that part of the bare system."""
    monkeypatch.setenv("PIP_FIND_LINKS", "/")
    with pytest.raises(ValueError, match="pip: expected folders of wheels, got a part of the sys"):
        pip_configuration()


def test_records_of_other_sessions_come_along(tmp_path):
    """Existing record files and folders are copied, but no build outputs."""
    source, target = tmp_path / "source", tmp_path / "clone" / "build"
    target.parent.mkdir()
    bare_system.copy_records(source, target)
    assert not target.exists()
    for name in ("interop.json", "rows/tests/a.json", "emulation/receipts/b.json", "examples/c.so"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    bare_system.copy_records(source, target)
    found = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert found == {"interop.json", "rows/tests/a.json", "emulation/receipts/b.json"}


def test_every_record_comes_along():
    """Every record that the site checks against this tree is copied."""
    folder = Path(bare_system.__file__).parents[1] / "_verify"
    text = "".join(path.read_text() for path in sorted(folder.glob("*.py")))
    read = set(re.findall(r'read_tree_record\(build / "(\w+\.json)"', text))
    assert len(read) > 4
    assert read <= {*bare_system.RECORDS}


def test_site_is_kept_in_place_of_an_older_one(tmp_path):
    """Deleted pages are not left behind."""
    site = tmp_path / "clone" / "build" / "site"
    kept = tmp_path / "build" / "site"
    for folder, name in ((site, "new.html"), (kept, "old.html")):
        folder.mkdir(parents=True)
        (folder / name).touch()
    bare_system.keep_site(tmp_path / "clone", tmp_path / "build")
    assert [path.name for path in kept.iterdir()] == ["new.html"]


def test_bare_systems_need_root_and_mounts(tmp_path, monkeypatch):
    """Without root and mounts the session is skipped."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert why_no_bare_system() == "only root can make a bare system and enter it"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert why_no_bare_system() == "this machine allows no mounts"
    unshare = tmp_path / "unshare"
    for status, why in ((1, "this machine allows no mounts"), (0, "")):
        unshare.write_text(f"#!/bin/sh\nexit {status}\n")
        unshare.chmod(0o755)
        assert why_no_bare_system() == why


def test_uncommitted_changes_are_named(tmp_path):
    """The clone is of the last commit, so changes to files, and new files, are not in it."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for name in ("same", "changed", "gone"):
        (tmp_path / name).write_text("1")
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    assert uncommitted(tmp_path) == ""
    (tmp_path / "changed").write_text("2")
    (tmp_path / "gone").unlink()
    (tmp_path / "new file").write_text("1")
    assert uncommitted(tmp_path) == (
        "not in the clone, because not committed: changed, gone, new file"
    )
