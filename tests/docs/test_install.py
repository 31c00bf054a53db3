# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The sessions install everything except PyTorch at a locked version, with a hash."""

import importlib.metadata
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
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
# Dependencies of the groups that are installed separately.
OF_CUTLASS = ("cuda-python", "networkx", "pydot", "scipy", "treelib")
OF_HUB = ("huggingface-hub", "sigstore", "tomlkit")
OF_TILELANG = ("torch-c-dlpack-ext",)
BY_ALONE = ("apache-tvm-ffi", *OF_CUTLASS, *OF_HUB, *OF_TILELANG, "torch", "triton")
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")


class Session:
    """The parts of a nox session needed for installing."""

    def __init__(self, folder, backend="virtualenv"):
        self.virtualenv = SimpleNamespace(location=str(folder))
        self.env_dir, self.invoked_from = folder, str(folder.parent)
        self.venv_backend = backend
        self.said, self.variables, self.posargs = [], {}, ["--upgrade"]
        self.fails, self.may_install, self.pip = False, True, "pip 26.3 from somewhere"

    def install(self, *words, env):
        """Record the request, and make the folder that it names."""
        self.said.append(" ".join(words))
        self.variables = env
        if "--target" in words:
            Path(words[words.index("--target") + 1]).mkdir(parents=True)
        if self.fails:
            raise RuntimeError("no network")

    def run_install(self, *words, env=None, **options):
        """Act as uv compiling requirements; do nothing under --no-install."""
        if not self.may_install:
            return None
        if "--version" in words:
            return self.pip
        if "-o" in words:
            self.said.append(" ".join(words))
            self.variables = env
            Path(words[-1]).write_text(f"resolved=={len(self.said)}\n")
        return True

    def create_tmp(self):
        """Return the session's folder."""
        return self.virtualenv.location

    def log(self, text):
        """Record a message."""
        self.said.append(text)

    def warn(self, text):
        """Record a warning."""
        self.said.append(f"warning: {text}")

    def error(self, text):
        """Raise an exception, as nox does."""
        raise RuntimeError(text)


def locked_for(python):
    """Return the locked packages and their versions for one Python on Linux."""
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
    """The file has no lines of another form, which pip would accept unchecked."""
    lines = install.LOCK.read_text().splitlines()
    assert len(LOCKED) == sum(1 for line in lines if not line.startswith((" ", "#")))
    assert sum(each[3].count("--hash") for each in LOCKED) + len(LOCKED) + 1 == len(lines)


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_holds_what_the_groups_name(python):
    """Each Python finds exactly one version of each package, the one that a group pins."""
    versions, machine = locked_for(python)
    assert {name for name, found in versions.items() if len(found) > 1} == set()
    groups = install.nox.project.load_toml(install.ROOT / "pyproject.toml")["dependency-groups"]
    wanted = [Requirement(pin) for pin in install.pins(*({*groups} - {"lock"}))]
    wanted = [each for each in wanted if not each.marker or each.marker.evaluate(machine)]
    assert len(wanted) > 20
    for each in wanted:
        assert versions[canonicalize_name(each.name)] == [str(each.specifier)[2:]], each
    assert "torch" not in versions


def test_the_lock_holds_what_is_required():
    """No dependency of an installed package is missing, so no unlocked version is installed."""
    versions, _ = locked_for(f"{sys.version_info.major}.{sys.version_info.minor}")
    seen = 0
    for each in importlib.metadata.distributions(path=[sysconfig.get_path("purelib")]):
        if canonicalize_name(each.name) in versions:
            for needed in map(Requirement, each.requires or ()):
                if not needed.marker or needed.marker.evaluate({"extra": ""}):
                    seen += 1
                    assert canonicalize_name(needed.name) in {*versions, *BY_ALONE}, each.name
    assert seen > 20


def test_only_what_the_lock_holds_is_installed(tmp_path):
    """Hashes are required; some groups are installed without their dependencies."""
    session = Session(tmp_path)
    install.install(session, "numpy")
    assert session.said[-1].startswith(f"--require-hashes -c {install.LOCK} numpy==")
    install.install(session, "nvshmem")
    assert session.said[-1].startswith(f"--require-hashes -c {install.LOCK} --no-deps nvidia-")
    assert session.variables == {"PIP_COMPILE": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with pytest.raises(ValueError, match="install: expected xgrammar alone, got client, xgrammar"):
        install.install(session, "client", "xgrammar")
    session = Session(tmp_path, "uv")
    install.install(session, "numpy")
    assert session.variables["UV_INDEX_STRATEGY"] == "unsafe-best-match"


def test_pip_that_would_refuse_the_lock_is_refused_first(tmp_path):
    """An older virtualenv comes with an older pip."""
    session = Session(tmp_path)
    session.pip = "pip 26.0.1 from somewhere"
    with pytest.raises(RuntimeError, match=r"expected pip 26\.1 or newer in .*, got pip 26\.0"):
        install.install(session, "numpy")
    assert session.said == ["Type: pip install -U nox virtualenv"]
    session = Session(tmp_path, "uv")
    session.pip = "pip 9.0 from somewhere"
    install.install(session, "numpy")
    assert len(session.said) == 1


def test_pip_compiles_nothing(tmp_path):
    """The variable passed to pip has the effect that the comment states."""
    with zipfile.ZipFile(tmp_path / "small-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("small.py", "")
        wheel.writestr("small-1.0.dist-info/METADATA", "Name: small\nVersion: 1.0\n")
        wheel.writestr("small-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr("small-1.0.dist-info/RECORD", "")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--find-links", tmp_path]
    env = {**os.environ, **install.variables(Session(tmp_path))}
    subprocess.run([*pip, "--target", tmp_path / "there", "small"], env=env, check=True)
    assert (tmp_path / "there" / "small.py").exists()
    assert list(tmp_path.rglob("*.pyc")) == []


def test_lock_is_what_uv_resolved(tmp_path, monkeypatch):
    """The lock is resolved in two parts, only from PyPI, and kept under --no-install."""
    monkeypatch.setattr(install, "LOCK", tmp_path / "lock.txt")
    monkeypatch.setenv("UV_INDEX", "https://mine/simple")
    session = Session(tmp_path)
    install.write_lock(session)
    assert install.LOCK.read_text().splitlines()[1:] == ["resolved==1", "resolved==2"]
    assert all("--upgrade" in said and install.PYPI in said for said in session.said)
    assert session.variables["UV_INDEX"] is None
    assert "--no-deps" not in session.said[0]
    assert "--no-deps" in session.said[1]
    assert "pyproject.toml:docs" in session.said[0]
    assert "pyproject.toml:xgrammar" in session.said[1]
    session.may_install = False
    install.write_lock(session)
    assert install.LOCK.read_text().splitlines()[1:] == ["resolved==1", "resolved==2"]


def test_pip_refuses_another_file(tmp_path):
    """Passing the lock this way makes pip check hashes, including those of dependencies."""
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
:env:.no-index=''
global.cert='/other.crt'
global.extra-index-url='file:///one\\nfile:///two'
global.find-links='/wheels\\n/more'
global.index-url='https://other/simple'
global.no-color='1'
global.proxy='http://proxy:3128'
global.timeout='7.5'
global.trusted-host='mirror'
install.index-url="https://it's@mirror/simple"
"""
FOR_UV = {
    "ALL_PROXY": "http://proxy:3128",
    "SSL_CERT_FILE": "/etc/certificates.crt",
    "UV_DEFAULT_INDEX": "https://it's@mirror/simple",
    "UV_FIND_LINKS": "/wheels,/more",
    "UV_HTTP_TIMEOUT": "8",
    "UV_INDEX": "file:///one file:///two",
    "UV_INDEX_STRATEGY": "unsafe-best-match",
    "UV_INSECURE_HOST": "mirror",
}


@pytest.fixture
def listed(monkeypatch):
    """A fixed listing of pip's configuration, in place of this machine's."""
    for name in (*pip_settings.UV.values(), "UV_INDEX_STRATEGY"):
        monkeypatch.delenv(name, raising=False)
    done = SimpleNamespace(stdout=SETTINGS, returncode=0)
    monkeypatch.setattr(pip_settings.subprocess, "run", lambda *_, **__: done)
    pip_settings.pip_settings.cache_clear()
    yield done
    pip_settings.pip_settings.cache_clear()


def test_uv_gets_the_settings_of_pip(listed, monkeypatch):
    """Variables of pip take precedence over its files, and uv's own variables over both."""
    assert pip_settings.uv_settings() == FOR_UV
    monkeypatch.setenv("UV_INDEX", "https://mine/simple")
    assert pip_settings.uv_settings() == {k: v for k, v in FOR_UV.items() if k != "UV_INDEX"}


def test_uv_gets_the_variables_of_pip_where_there_is_no_pip(listed, monkeypatch):
    """Where uv installed nox there may be no pip, so pip's variables are read directly."""
    listed.returncode = 1
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels /more")
    expected = {"UV_FIND_LINKS": "/wheels,/more", "UV_INDEX_STRATEGY": "unsafe-best-match"}
    assert pip_settings.uv_settings() == expected


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """An environment's site-packages, next to a folder of wheels."""
    (tmp_path / "wheels").mkdir()
    monkeypatch.setenv("TORCH_INDEX", "wheels")
    folder = tmp_path / "environment" / "lib" / "python3.11" / "site-packages"
    folder.mkdir(parents=True)
    return folder


def test_environments_share_one_pytorch(packages):
    """PyTorch is installed once, and each environment finds it."""
    sessions = [Session(packages.parents[2]) for _ in range(2)]
    for session in sessions:
        pytorch.install_torch(session)
        folder = pytorch.folder_of(session, sys.implementation.cache_tag)
        assert (packages / "torch.pth").read_text() == f"{folder}\n"
        assert folder.is_dir()
    assert len(sessions[0].said) == 1
    assert sessions[1].said == []


@pytest.mark.parametrize(
    ("given", "gpus", "there", "where"),
    [
        ("wheels", "", True, "--find-links {wheels} --target"),
        ("https://mirror/simple", "", True, "--index-url https://mirror/simple --target"),
        ("", "", True, f"--extra-index-url {pytorch.CPU_INDEX} --target"),
        ("", "", False, "--target"),
        ("", "GPU 0", True, "--target"),
    ],
)
def test_where_pytorch_comes_from(packages, monkeypatch, given, gpus, there, where):
    """TORCH_INDEX decides; without it, machines without a GPU use the CPU build."""
    monkeypatch.setenv("TORCH_INDEX", given)
    monkeypatch.setattr(pytorch, "gpus", lambda: gpus)
    monkeypatch.setattr(pytorch, "reachable", lambda _: there)
    session = Session(packages.parents[2])
    pytorch.install_torch(session)
    assert session.said[0].startswith(where.format(wheels=packages.parents[3] / "wheels"))
    assert session.said[0].endswith(pytorch.TORCH)
    assert session.variables["PIP_COMPILE"] == "0"


def test_index_of_pytorch_wins_over_those_of_uv(packages, monkeypatch, listed):
    """Otherwise, uv would search its other indexes, including pip's, before TORCH_INDEX."""
    monkeypatch.setenv("TORCH_INDEX", "https://mirror/simple")
    session = Session(packages.parents[2], "uv")
    pytorch.install_torch(session)
    assert session.variables["UV_INDEX"] is None
    assert session.variables["UV_DEFAULT_INDEX"] is None
    assert session.variables["UV_FIND_LINKS"] is None


def test_another_index_brings_another_pytorch(packages, monkeypatch):
    """An installation from one index is not used for another."""
    found = set()
    session = Session(packages.parents[2])
    for index in ("wheels", "https://mirror/simple", ""):
        monkeypatch.setenv("TORCH_INDEX", index)
        found.add(pytorch.folder_of(session, "cpython-311"))
    assert len(found) == 3


def test_folder_of_wheels_that_is_not_there_is_an_error(packages, monkeypatch):
    """A missing folder would only cause a warning by pip, which would use another source."""
    monkeypatch.setenv("TORCH_INDEX", "wheel")
    with pytest.raises(RuntimeError, match=r"TORCH_INDEX: expected an index or a folder .* wheel$"):
        pytorch.install_torch(Session(packages.parents[2]))


def test_pytorch_that_was_not_installed_whole_is_not_used(packages):
    """After an incomplete installation the next session tries again, or reports why it cannot."""
    session = Session(packages.parents[2])
    session.fails = True
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no network"):
            pytorch.install_torch(session)
    assert len(session.said) == 2
    session.may_install = False
    with pytest.raises(RuntimeError, match="nothing is installed, and PyTorch is missing"):
        pytorch.install_torch(session)
    assert not (packages / "torch.pth").exists()


def test_pytorch_that_is_gone_is_no_longer_found(packages):
    """The session then reports that PyTorch's tests are skipped, and they are."""
    (packages / "torch.pth").write_text("/elsewhere\n")
    session = Session(packages.parents[2])
    pytorch.share(session, packages / "missing")
    assert (packages / "torch.pth").read_text() == ""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A package with one file in each location."""
    monkeypatch.setattr(install, "ROOT", tmp_path)
    for name in (*install.PACKAGE, "include/a.h", "src/a.cc", "python/a.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("one")
    return tmp_path


PARTS = ("README.md", "CMakeLists.txt", "pyproject.toml", "include/a.h", "src/a.cc", "python/a.py")


@pytest.mark.parametrize("edited", PARTS)
def test_package_is_built_again_only_after_an_edit(tree, edited):
    """After a failed installation the package is reinstalled, even if the edit is undone."""
    session = Session(tree)
    for _ in range(2):
        install.install_package(session)
    assert session.said == [f"--no-build-isolation --no-deps --force-reinstall {tree}"]
    assert session.variables["PIP_COMPILE"] == "0"
    (tree / edited).write_text("two")
    session.fails = True
    with pytest.raises(RuntimeError):
        install.install_package(session)
    session.fails = False
    (tree / edited).write_text("one")
    install.install_package(session)
    assert len(session.said) == 3


def test_package_that_was_not_installed_is_not_taken_for_installed(tree):
    """``nox -R`` keeps the installed package; the next run without it installs the new one."""
    session = Session(tree)
    session.may_install = False
    install.install_package(session)
    assert session.said == ["warning: nothing is installed: the package is not that of this tree"]
    session.may_install = True
    install.install_package(session)
    assert len(session.said) == 2
