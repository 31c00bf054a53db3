# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""What the sessions install: everything but PyTorch at a locked version, with a hash."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("nox", reason="only the sessions use this")

from _setup import install, pip_settings, pytorch
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKED = re.findall(
    r"^(\S+)==(\S+)(?: ; (.*?))?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$",
    install.LOCK.read_text(),
    re.MULTILINE,
)
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")


class Session:
    """As much of a nox session as installing takes."""

    def __init__(self, folder):
        self.virtualenv = SimpleNamespace(location=str(folder))
        self.said = []
        self.fails = False

    def install(self, *words, **options):
        """Note what is asked for, and make the folder that it names."""
        self.said.append(" ".join(words))
        if "--target" in words:
            Path(words[words.index("--target") + 1]).mkdir(parents=True)
        if self.fails:
            raise RuntimeError("no network")


def locked_for(python):
    """The locked packages and their versions for one Python on Linux."""
    machine = {
        **default_environment(),
        "python_version": python,
        "python_full_version": f"{python}.7",
        "sys_platform": "linux",
    }
    versions = {}
    for name, version, marker, _ in LOCKED:
        if not marker or Requirement(f"x; {marker}").marker.evaluate(machine):
            versions.setdefault(name, []).append(version)
    return versions, machine


def test_every_line_of_the_lock_has_a_version_and_hashes():
    """Nothing in the file is of another form, which pip would take without checking."""
    lines = install.LOCK.read_text().splitlines()
    assert len(LOCKED) == sum(1 for line in lines if not line.startswith((" ", "#")))
    assert sum(each[3].count("--hash") for each in LOCKED) + len(LOCKED) + 1 == len(lines)


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_holds_what_the_groups_name(python):
    """Each Python finds exactly one version of each package, the one that a group fixes."""
    versions, machine = locked_for(python)
    assert {name for name, found in versions.items() if len(found) > 1} == set()
    groups = install.nox.project.load_toml(install.ROOT / "pyproject.toml")["dependency-groups"]
    wanted = [Requirement(pin) for pin in install.pins(*({*groups} - {"lock"}))]
    wanted = [each for each in wanted if not each.marker or each.marker.evaluate(machine)]
    assert len(wanted) > 20
    for each in wanted:
        assert versions[canonicalize_name(each.name)] == [str(each.specifier)[2:]], each
    assert "torch" not in versions


def test_only_what_the_lock_holds_is_installed(tmp_path):
    """Hashes are required; two groups are installed without what they require."""
    session = Session(tmp_path)
    install.install(session, "numpy")
    install.install(session, "nvshmem")
    locked = f"--require-hashes -c {install.LOCK} "
    assert session.said[0].startswith(f"-q {locked}numpy==")
    assert session.said[1].startswith(f"-q --no-deps {locked}nvidia-nvshmem")


def test_pip_refuses_another_file(tmp_path):
    """The way the lock is passed makes pip compare hashes, of what is required too."""
    wheel = tmp_path / "needless-1.0-py3-none-any.whl"
    wheel.write_bytes(b"other content")
    lock = tmp_path / "lock.txt"
    lock.write_text(f"needless==1.0 --hash=sha256:{64 * '0'}\n")
    pip = [sys.executable, "-m", "pip", "install", "--no-index", "--find-links", str(tmp_path)]
    command = [*pip, "--require-hashes", "-c", str(lock), "--dry-run", "needless==1.0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr


SETTINGS = """\
:env:.cert='/etc/certificates.crt'
global.cert='/other.crt'
global.extra-index-url='file:///one\\nfile:///two'
global.find-links='/wheels\\n/more'
global.no-color='1'
install.index-url='https://mirror/simple'
"""


def test_uv_gets_the_settings_of_pip(monkeypatch):
    """A variable of pip wins over its files; one of uv that is set wins over both."""
    listed = SimpleNamespace(stdout=SETTINGS)
    monkeypatch.setattr(pip_settings.subprocess, "run", lambda *_, **__: listed)
    for name, _ in pip_settings.UV.values():
        monkeypatch.delenv(name, raising=False)
    expected = {
        "SSL_CERT_FILE": "/etc/certificates.crt",
        "UV_DEFAULT_INDEX": "https://mirror/simple",
        "UV_FIND_LINKS": "/wheels,/more",
        "UV_INDEX": "file:///one file:///two",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
    }
    assert pip_settings.uv_settings() == expected
    monkeypatch.setenv("UV_INDEX", "https://mine/simple")
    del expected["UV_INDEX"]
    assert pip_settings.uv_settings() == expected


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """The site-packages of an environment, with the shared folder of PyTorch beside it."""
    monkeypatch.setattr(pytorch, "ROOT", tmp_path)
    monkeypatch.setenv("TORCH_INDEX", "/wheels")
    folder = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    return folder


def test_environments_share_one_pytorch(packages):
    """It is installed once, from where TORCH_INDEX says, and each environment finds it."""
    folder = pytorch.folder_of(sys.implementation.cache_tag)
    for _ in range(2):
        session = Session(packages.parents[2])
        pytorch.install_torch(session)
        assert (packages / "torch.pth").read_text() == f"{folder}\n"
        assert folder.is_dir()
    assert session.said == []


def test_another_index_brings_another_pytorch(packages, monkeypatch):
    """What was installed from one index is not taken for that of another."""
    found = set()
    for index in ("/wheels", "https://mirror/simple", ""):
        monkeypatch.setenv("TORCH_INDEX", index)
        found.add(pytorch.folder_of("cpython-311"))
    assert len(found) == 3


def test_pytorch_that_was_not_installed_whole_is_not_used(packages):
    """The next session tries again."""
    session = Session(packages.parents[2])
    session.fails = True
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no network"):
            pytorch.install_torch(session)
    assert len(session.said) == 2
    assert "--find-links /wheels --target" in session.said[0]
    assert not (packages / "torch.pth").exists()


def test_package_is_built_again_only_after_an_edit(tmp_path, monkeypatch):
    """An installation that failed is no reason to leave it out the next time."""
    monkeypatch.setattr(install, "trees_digest", lambda *_: tree)
    session, tree = Session(tmp_path), "one"
    for _ in range(2):
        install.install_package(session)
    assert len(session.said) == 1
    tree, session.fails = "two", True
    with pytest.raises(RuntimeError):
        install.install_package(session)
    session.fails = False
    install.install_package(session)
    assert len(session.said) == 3
