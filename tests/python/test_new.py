# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""The command ``tvm-ffi new``: refused arguments, and the generated project.

``tests/snippets/test_new_project.py`` builds and uses such a project.
"""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi.new import cli

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    ".github/workflows/ci.yml",
    ".gitignore",
    "CMakeLists.txt",
    "README.md",
    "pyproject.toml",
    "python/row_scale/__init__.py",
    "python/row_scale/py.typed",
    "src/binding.cc",
    "src/scale_rows.h",
    "src/scale_rows_cpu.cc",
    "src/scale_rows_cuda.cu",
    "src/tvm_ffi_utils.h",
    "tests/test_scale_rows.py",
}
NOT_A_PACKAGE = (
    "NAME: expected the name of a Python package, such as row_scale, of lower-case letters, digits "
    "and single underscores, got "
)
TAKEN = "NAME: expected a name that no other package or CMake target uses, got "


@pytest.fixture(params=cli.RUNTIMES)
def runtime(request):
    """Each runtime that a wheel can require."""
    return request.param


@pytest.fixture
def project(tmp_path, runtime):
    """A project for the current runtime."""
    pytest.importorskip("copier", reason="copier is not installed")
    return cli.new_project("row_scale", tmp_path, runtime)


def texts(project):
    """Return the text of each project file by its path."""
    return {
        path.relative_to(project).as_posix(): path.read_text()
        for path in project.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Row_scale", NOT_A_PACKAGE),
        ("row-scale", NOT_A_PACKAGE),
        ("row scale", NOT_A_PACKAGE),
        ("row__scale", NOT_A_PACKAGE),
        ("row_scale_", NOT_A_PACKAGE),
        ("_row_scale", NOT_A_PACKAGE),
        ("2rows", NOT_A_PACKAGE),
        ("zeilenlänge", NOT_A_PACKAGE),
        ("row_scale\n", NOT_A_PACKAGE),
        ("../rows", NOT_A_PACKAGE),
        ("", NOT_A_PACKAGE),
        ("lambda", NOT_A_PACKAGE),
        ("json", TAKEN),
        ("tvm_ffi", TAKEN),
        ("test", TAKEN),
        ("install", TAKEN),
        ("tvm_ffi_kernel_library", TAKEN),
    ],
)
def test_a_bad_name_is_refused(name, message, tmp_path, monkeypatch, capsys):
    """The error names the argument, what was expected and what was given; nothing is created."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", name]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", f"tvm-ffi new: {message}{name!r}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["rows", "row_scale", "r2", "scale2_rows"])
def test_a_good_name_is_accepted(name):
    """A valid package name, with hyphens for underscores, is also a distribution name."""
    cli.check_name(name)


def test_a_folder_with_files_is_refused(tmp_path):
    """Existing files stay unchanged; a file or broken link of that name is refused too."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / ".hidden").write_text("mine")
    (tmp_path / "a_file").write_text("mine")
    (tmp_path / "a_loop").symlink_to("a_loop")
    (tmp_path / "a_dead_link").symlink_to("nowhere")
    for name in ("rows", "a_file", "a_loop", "a_dead_link"):
        expected = f"NAME: expected a name for a new or empty folder, got '{name}', which exists"
        with pytest.raises(FileExistsError, match=expected):
            cli.new_project(name, tmp_path)
    assert [path.name for path in (tmp_path / "rows").iterdir()] == [".hidden"]


def test_an_unknown_runtime_is_refused(tmp_path, capsys):
    """Both the command and the function list the runtimes."""
    with pytest.raises(SystemExit) as ended:
        cli.main(["new", "rows", "--runtime", "tvm"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert all(each in said for each in ("--runtime", "'tvm'", *cli.RUNTIMES))
    with pytest.raises(ValueError, match=r"--runtime: expected .* or apache-tvm-ffi, got 'tvm'"):
        cli.new_project("rows", tmp_path, "tvm")


def test_without_copier(tmp_path, monkeypatch, capsys):
    """The command says what to install, within the version range that the package declares."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "copier", None)
    assert cli.main(["new", "rows"]) == 2
    said = capsys.readouterr().err
    (wanted,) = re.findall(
        r"^new = \[\"(copier>.*)\"\]", (ROOT / "pyproject.toml").read_text(), re.M
    )
    assert said == (
        "tvm-ffi new: expected the package copier, which is not installed: "
        f"{sys.executable} -m pip install '{wanted}'\n"
    )
    assert not list(tmp_path.iterdir())


def test_importing_the_command_imports_no_copier():
    """Only creating a project needs copier."""
    code = "import sys, tvm_ffi.new.cli; print('copier' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


def test_the_files_of_a_project(project):
    """There are exactly these files, and none with the answers to the template's questions."""
    assert texts(project).keys() == FILES


def test_nothing_of_the_template_is_left(project):
    """No template braces, region markers or local paths remain."""
    for name, text in texts(project).items():
        left = text.replace("${{ vars.RUNTIME }}", "").replace("${{ matrix.python }}", "")
        assert not re.search(r"\{\{ |\{%| \}\}|%\}", left), name
        assert not re.search(r"\[\w+\.(begin|end)\]", text), name
        assert str(project.parent) not in text
        assert str(cli.TEMPLATE) not in text
        assert text == "" or text.endswith("\n"), name
        assert not text.endswith("\n\n"), name
        assert "\n\n\n\n" not in text, name


def test_the_runtime_that_a_project_requires(project, runtime):
    """The runtime is required to build and run the wheel, and the other runtime is not."""
    tomllib = pytest.importorskip("tomllib", reason="comes with Python 3.11")
    settings = tomllib.loads((project / "pyproject.toml").read_text())
    wanted = "apache-tvm-ffi>=0.1.15" if runtime == "apache-tvm-ffi" else runtime
    assert settings["project"]["name"] == "row-scale"
    assert settings["project"]["dependencies"] == [wanted]
    assert wanted in settings["build-system"]["requires"]
    assert settings["tool"]["scikit-build"]["wheel"]["py-api"] == "py3"


def test_the_workflow_of_a_project(project, runtime):
    """It builds the wheel once and tests it on each Python version that the project supports."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    workflow = yaml.safe_load((project / ".github/workflows/ci.yml").read_text())
    jobs = workflow["jobs"]
    assert jobs["test"]["needs"] == "wheel"
    assert jobs["test"]["strategy"]["matrix"]["python"][0] == "3.10"
    commands = [step.get("run", "") for step in jobs["wheel"]["steps"]]
    assert any(each.startswith("pip wheel ") for each in commands)
    ours = runtime == "tvm-ffi-kernel-library"
    assert any("tvm-ffi-stubgen" in each for each in commands) is ours


def test_the_utility_header_is_that_of_the_guide(project):
    """The package ships a copy made at build time; a project's copy has no region markers."""
    header = ROOT / "examples" / "kernel_library" / "tvm_ffi_utils.h"
    lines = header.read_text().splitlines(keepends=True)
    text = "".join(line for line in lines if not re.match(r" *// \[\w+\.(begin|end)\]$", line))
    assert (project / "src" / "tvm_ffi_utils.h").read_text() == text


def test_the_types_of_a_project(project):
    """Strict type checking accepts the package."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    checker = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull]
    done = subprocess.run(
        [*checker, "python/row_scale"], cwd=project, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("Success: no issues found"), done.stdout + done.stderr


def test_no_network_and_no_git(tmp_path, monkeypatch):
    """The template is part of the package, so neither a network nor Git is needed."""
    pytest.importorskip("copier", reason="copier is not installed")

    def refuse(*_):
        raise AssertionError("a project was made with the help of a network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cli.new_project("rows", tmp_path).is_dir()


def test_a_closed_input(tmp_path, monkeypatch):
    """Python has no object for a closed input, and the command does not prompt."""
    pytest.importorskip("copier", reason="copier is not installed")
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.new_project("rows", tmp_path).is_dir()


def test_the_command(tmp_path):
    """Without a terminal it does not prompt; it fills an empty folder."""
    pytest.importorskip("copier", reason="copier is not installed")
    (tmp_path / "rows").mkdir()
    done = subprocess.run(
        [Path(sys.executable).with_name("tvm-ffi"), "new", "rows"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "rows: README.md says how to build it, test it and make it your own\n"
    assert '"tvm-ffi-kernel-library"' in (tmp_path / "rows" / "pyproject.toml").read_text()
