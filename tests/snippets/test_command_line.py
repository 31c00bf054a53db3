# SPDX-License-Identifier: Apache-2.0
# Rows: R8
"""What the page on the command line says of each command, option and variable."""

import ast
import importlib.metadata
import re
from pathlib import Path

import terminal
import tvm_ffi
from tvm_ffi import config

ROOT = Path(__file__).resolve().parents[2]
PAGE = "docs/reference/command_line.rst"
PACKAGE = Path(tvm_ffi.__file__).parent
READ = re.compile(r'(?:environ\.get\(|environ\[|getenv\()"([A-Z_]+)"')


def session(*commands):
    """What a terminal shows of some commands, wherever the package is installed."""
    return terminal.session(*commands).replace(str(PACKAGE), "/site-packages/tvm_ffi")


def first_column(heading):
    """The names in the first column of the table below a heading of the page."""
    section = (ROOT / PAGE).read_text().partition(f"\n{heading}\n---")[2].partition("\n---")[0]
    rows = re.findall(r"^   \* - (``.+``)$", section, re.MULTILINE)
    return [name for row in rows for name in re.findall("``([^`]+)``", row)]


def test_help(captured):
    """The help names each option."""
    captured("tests/snippets/captured/config_help.txt", session("tvm-ffi-config --help"))


def test_answers(captured):
    """Each option has an answer, and several answers stand on one line."""
    options = [f"--{name}" for name in config._ANSWERS]
    commands = [f"tvm-ffi-config {option}" for option in [*options, "--cxxflags --ldflags --libs"]]
    captured("tests/snippets/captured/config_answers.txt", session(*commands))


def test_wrong_use(captured):
    """Without an option, and with one that is not there, the status is 2."""
    text = session("tvm-ffi-config", "tvm-ffi-config --rpath")
    assert text.count("$ echo $?\n2\n") == 2
    captured("tests/snippets/captured/config_errors.txt", text)


def test_help_of_stubgen(captured):
    """The help names each option."""
    captured("tests/snippets/captured/stubgen_help.txt", session("tvm-ffi-stubgen --help"))


def test_errors_of_stubgen(captured, tmp_path, monkeypatch):
    """A block without an end, a marker that is unknown, a library that is missing: status 2."""
    monkeypatch.chdir(tmp_path)
    Path("api.py").write_text("import tvm_ffi\n\n# tvm-ffi-stubgen(begin): global/my_kernels\n")
    Path("classes.py").write_text("# tvm-ffi-stubgen(begin): class/my_kernels.Range\n")
    text = session("tvm-ffi-stubgen .", "tvm-ffi-stubgen . --dlls ./missing.so")
    assert text.count("$ echo $?\n2\n") == 2
    captured("tests/snippets/captured/stubgen_errors.txt", text)


def test_page_has_every_command():
    """The commands that the package installs are those of the page."""
    found = importlib.metadata.distribution("tvm-ffi-kernel-library").entry_points
    commands = [each.name for each in found if each.group == "console_scripts"]
    titles = re.findall(r"^([\w-]+)\n-+$", (ROOT / PAGE).read_text(), re.MULTILINE)
    assert [title for title in titles if title.startswith("tvm")] == commands


def test_page_has_every_option():
    """The tables' options are the parsers'."""
    assert first_column("tvm-ffi-config") == [f"--{name}" for name in config._ANSWERS]
    told = re.findall(r"^  (--[\w-]+)", session("tvm-ffi-stubgen --help"), re.MULTILINE)
    assert first_column("tvm-ffi-stubgen") == told


def test_page_has_every_variable():
    """The variables of the page are those that the package reads."""
    sources = [*(ROOT / "python").rglob("*.py"), *(ROOT / "python").rglob("*.cc")]
    sources += [*(ROOT / "src").rglob("*.cc"), *(ROOT / "include").rglob("*.h")]
    read = {name for path in sources for name in READ.findall(path.read_text())}
    toolchain = (ROOT / "python/tvm_ffi/cpp/toolchain.py").read_text()
    read |= set(re.findall(r'_command\("([A-Z]+)"', toolchain))
    looped = re.findall(r"for variable in (\(.*\)):", "".join(map(Path.read_text, sources)))
    read |= {name for names in looped for name in ast.literal_eval(names)}
    [compilers] = re.findall(r"^VARIABLES = (\(.*?\n\))", toolchain, re.M | re.S)
    read |= set(ast.literal_eval(compilers))
    read -= {"DYLD_LIBRARY_PATH"}  # the counterpart on another system
    assert read == set(first_column("Environment variables"))
