# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""What ``tvm-ffi-stubgen`` of both packages writes into the same files, and where they differ."""

import difflib
import os
import shlex
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "python" / "stubs.cc"
INIT = ("--init-pypkg", "stubs", "--init-lib", "stubs", "--init-prefix", "stubs.")
OLD_INIT = "def __init__(self, a: int, b: int, c: float, items: Sequence[int], name: str | None)"
# What only the published command writes (-), and what only ours writes (+).
DIFFERENCES = {
    "stubs/__init__.py": [],
    "stubs/_ffi_api.py": [
        # tvm_ffi has no name Error, in either package.
        "-    from tvm_ffi import Device, Error, Object, Shape, Tensor, dtype",
        "+    from tvm_ffi import Device, Object, Shape, Tensor, dtype",
        "+    from tvm_ffi.core import Error",
    ],
    "stubs/inner/__init__.py": [],
    "stubs/inner/_ffi_api.py": [
        "-    from collections.abc import MutableSequence, Sequence",
        "+    from collections.abc import MutableSequence",
        "+    from typing import Any",
        # The constructor takes other arguments than the fields.
        f"-        {OLD_INIT} -> None: ...",
        "-        def __ffi_init__(self, _0: int, _1: float, /) -> None: ...",
        "+        def __init__(self, _0: int, _1: float, /) -> None: ...",
        "+        def __ffi_init__(self, *args: Any, **kwargs: Any) -> None: ...",
    ],
    "stubs/odd/__init__.py": [],
    "stubs/odd/_ffi_api.py": [
        "-    from tvm_ffi import Object",
        "-    def lambda(_0: int, /) -> int: ...",  # a syntax error
        "-    def moved(_0: Object[Pair], /) -> Pair: ...",
        "+    # not a name in Python: lambda",
        "+    def moved(_0: Pair, /) -> Pair: ...",
        '-    "lambda",',
    ],
}
BLOCKS = """
# tvm-ffi-stubgen(ty-map): Tensor -> my.arrays.Array
# tvm-ffi-stubgen(import-object): ffi.Object;False;Base
# tvm-ffi-stubgen(import-object): a.b.C;True;D
# tvm-ffi-stubgen(begin): import-section
# tvm-ffi-stubgen(end)
if True:
    # tvm-ffi-stubgen(begin): global/stubs.inner
    old = 1
    # tvm-ffi-stubgen(end)
class Pair(Base):
  # tvm-ffi-stubgen(begin): object/stubs.Pair
  # tvm-ffi-stubgen(end)
  def by_hand(self) -> None: ...
class Options(Base):
    # tvm-ffi-stubgen(begin): object/stubs.Options
    # tvm-ffi-stubgen(end)
    pass
# tvm-ffi-stubgen(begin): global/unknown
# tvm-ffi-stubgen(end)
# tvm-ffi-stubgen(begin): export/part
# tvm-ffi-stubgen(end)
__all__ = [
    "by_hand",
    # tvm-ffi-stubgen(begin): __all__
    # tvm-ffi-stubgen(end)
]
"""


def run(command):
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory):
    """The library, built with the headers of each package."""
    folder = tmp_path_factory.mktemp("stubs")
    built = {}
    for name, python in pythons.items():
        built[name] = folder / f"{name}.so"
        code = "from tvm_ffi import libinfo as i; print(i.find_include_path(), i.find_libtvm_ffi())"
        include, library = run([python, "-c", code]).split()
        compiler = os.environ.get("CXX", "g++")
        command = f"{compiler} -std=c++17 -shared -fPIC -isystem {include} {SOURCE} -o "
        run(shlex.split(f"{command}{built[name]} {library}"))
    return built


@pytest.fixture
def stubgen(pythons):
    """Give a function that runs the command of a package, and gives its exit status."""

    def command(kind, *arguments):
        if kind == "ours":
            program = [pythons[kind], "-m", "tvm_ffi.stub.cli"]
        else:
            program = [Path(pythons[kind]).with_name("tvm-ffi-stubgen")]
        done = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return command


def changes(before, after):
    """The lines that differ."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return [line for line in list(lines)[2:] if not line.startswith("@@")]


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_packages_from_nothing(stubgen, libraries, tmp_path, headers):
    """Both make the same files, but for the stated differences."""
    for kind in ("ours", "published"):
        (tmp_path / kind).mkdir()
        assert stubgen(kind, tmp_path / kind, "--dlls", libraries[headers], *INIT)[0] == 0
    made = {
        kind: {str(each.relative_to(tmp_path / kind)): each for each in found}
        for kind in ("ours", "published")
        if (found := list((tmp_path / kind).rglob("*.py")))
    }
    assert {*made["ours"]} == {*made["published"]} == {*DIFFERENCES}
    for name, differences in DIFFERENCES.items():
        texts = [made[kind][name].read_text() for kind in ("published", "ours")]
        assert changes(*texts) == differences, name


@pytest.mark.parametrize("first", ["ours", "published"])
def test_blocks_of_the_same_file(stubgen, libraries, tmp_path, first):
    """What one has filled is up to date for the other, and both see it when it is not."""
    file = tmp_path / "blocks.py"
    second = "published" if first == "ours" else "ours"
    file.write_text(BLOCKS)
    library = libraries["ours"]
    assert stubgen(first, file, "--dlls", library)[0] == 0
    filled = file.read_text()
    assert "def minus(" in filled
    assert stubgen(second, file, "--dlls", library, "--check")[0] == 0
    file.write_text(filled.replace("_0: int", "_0: str"))
    for kind in (first, second):
        status, said = stubgen(kind, file, "--dlls", library, "--check")
        assert status == 1
        assert f"[Stale] {file}" in said
    assert stubgen(second, file, "--dlls", library)[0] == 0
    assert file.read_text() == filled


def test_published_leaves_the_blocks_of_libraries(stubgen, libraries, tmp_path):
    """They are comments to it."""
    file = tmp_path / "blocks.py"
    kept = (
        "# tvm-ffi-stubgen-library(names): scale(factor, x, y)\n"
        "# tvm-ffi-stubgen-library(begin): LIB\nold = 1\n# tvm-ffi-stubgen-library(end)\n"
    )
    file.write_text(kept + BLOCKS)
    assert stubgen("published", file, "--dlls", libraries["ours"])[0] == 0
    assert file.read_text().startswith(kept)
    assert "def minus(" in file.read_text()
    assert stubgen("ours", file, "--dlls", libraries["ours"])[0] == 0
    assert "def scale(factor: float, x: Array, y: Array) -> None:" in file.read_text()


@pytest.mark.parametrize(
    ("text", "published"),
    [
        ("# tvm-ffi-stubgen(begin): bogus/x\n# tvm-ffi-stubgen(end)\n", 0),
        ("# tvm-ffi-stubgen(begin): global/stubs\n", 0),
        ("# tvm-ffi-stubgen(end)\n", 0),
        ("# tvm-ffi-stubgen(begin): global/no\nx = 1\n# tvm-ffi-stubgen(end)\n", 0),
        ("# tvm-ffi-stubgen(bogus): x\n", 2),
        ("# tvm-ffi-stubgen(begin): object/no.No\n# tvm-ffi-stubgen(end)\n", 2),
    ],
    ids=["unknown", "unclosed", "unopened", "no functions", "directive", "no type"],
)
def test_wrong_files(stubgen, libraries, tmp_path, text, published):
    """Ours ends with status 2; the published command passes over most."""
    file = tmp_path / "wrong.py"
    file.write_text(text)
    for kind, wanted in (("ours", 2), ("published", published)):
        status, said = stubgen(kind, file, "--dlls", libraries["ours"])
        assert status == wanted, said
        assert file.read_text() == text
    assert f"{file}:1: " in stubgen("ours", file, "--dlls", libraries["ours"])[1]
