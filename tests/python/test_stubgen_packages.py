# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The packages and wrappers that ``tvm-ffi-stubgen`` writes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .stubgen_runs import INIT, WRAPPED, mypy, python, stubgen


@pytest.fixture(scope="module")
def package(stubs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library and a package generated for it."""
    folder = tmp_path_factory.mktemp("package")
    done = stubgen(folder, "--dlls", stubs, *INIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    shutil.copy(stubs, folder)
    return folder


def test_package_works(package: Path) -> None:
    """A package generated from scratch can be imported and calls the library."""
    program = (
        "from stubs import LIB, Options, Pair, add_one\n"
        "from stubs.inner import Triple\n"
        "import stubs\n"
        "made = Options(3, unit='s')\n"
        "print(add_one(1), Pair(1, 2).sum(), Pair.zero().plus(Pair(1, 2)).b)\n"
        "print(LIB.count([1], 4, 1))\n"
        "print(made.width, made.level, made.unit, Triple(1, 2.0).items, sorted(stubs.__all__))\n"
    )
    done = python(package, program)
    assert done.stdout.splitlines() == [
        "2 3 2",
        "5",
        "3 1 s [] ['LIB', 'Locked', 'Options', 'Pair', 'add_one', 'callbacks', 'choices', "
        "'containers', 'dict', 'objects', 'packed', 'plain', 'scale']",
    ], done.stderr


def test_package_is_typed(package: Path, tmp_path: Path) -> None:
    """Strict checking accepts the package and finds the errors in a program that uses it."""
    assert mypy(package, "-p", "stubs").startswith("Success: no issues found in 6 source files")
    program = (
        "from stubs import Options, Pair, add_one, containers\n"
        "from stubs.inner import Triple, minus\n"
        "add_one('x')\n"
        "Pair(1)\n"
        "Options(1, 2, 's')\n"
        "text: str = Triple(1, 2.0).a\n"
        "Triple(1, 2.0).nothing\n"
        "minus(1, Triple(1, 2.0))\n"
        "containers([], [1], {'x': 3}, {}, (1, 2.0)).append(4)\n"
        "containers([], ['x'], {}, {}, (1, 2.0))\n"
    )
    shutil.copytree(package / "stubs", tmp_path / "stubs")
    (tmp_path / "program.py").write_text(program)
    said = mypy(tmp_path, "program.py")
    found = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert found == {3, 4, 5, 6, 7, 10}, said


def test_constructors(package: Path) -> None:
    """A registered constructor has the field names only if its arguments match the fields."""
    inner = (package / "stubs" / "inner" / "_ffi_api.py").read_text()
    assert "        def __init__(self, _0: int, _1: float, /) -> None: ...\n" in inner
    outer = (package / "stubs" / "_ffi_api.py").read_text()
    assert "        def __init__(self, a: int, b: int) -> None: ...\n" in outer
    made = "(self, width: int, level: int = ..., *, unit: str = ...) -> None: ...\n"
    assert f"        def __init__{made}        def __ffi_init__{made}" in outer


def test_a_second_run_changes_nothing(package: Path, stubs: Path) -> None:
    """Generated files are up to date, even if the package is requested again."""
    for more in (["--check"], ["--verbose"], INIT):
        done = stubgen(package, "--dlls", stubs, *more)
        assert (done.returncode, done.stderr) == (0, "")
        assert "[File]" not in done.stdout
    assert len([*package.rglob("*.py")]) == 6


def test_hand_written_parts_stay(package: Path, stubs: Path, tmp_path: Path) -> None:
    """Only text between markers changes; --check and --dry-run show the changes as a diff."""
    shutil.copytree(package / "stubs", tmp_path / "stubs")
    file = tmp_path / "stubs" / "_ffi_api.py"
    right = file.read_text().replace(
        "        @staticmethod\n        def zero() -> Pair: ...\n    # fmt: on\n"
        "    # tvm-ffi-stubgen(end)\n",
        "        @staticmethod\n        def zero() -> Pair: ...\n    # fmt: on\n"
        "    # tvm-ffi-stubgen(end)\n\n"
        "    def double(self) -> int:\n        return 2 * self.sum()\n",
    )
    assert "double" in right
    stale = right.replace("def add_one(_0: int, /) -> int", "def add_one(_0: str) -> int")
    file.write_text(stale)
    for option, status in (("--check", 1), ("--dry-run", 0)):
        done = stubgen(tmp_path, "--dlls", stubs, option)
        assert done.returncode == status
        assert done.stdout.startswith(f"[{'Stale' if status else 'File'}] {file}\n--- {file}\n")
        changed = [line for line in done.stdout.splitlines()[3:] if line[0] in "+-"]
        assert changed == [
            "-    def add_one(_0: str) -> int: ...",
            "+    def add_one(_0: int, /) -> int: ...",
        ]
        assert file.read_text() == stale
    assert stubgen(tmp_path, "--dlls", stubs).returncode == 0
    assert file.read_text() == right


def test_wrappers(stubs: Path, tmp_path: Path) -> None:
    """A library's block has a function for each export, with its documentation."""
    file = tmp_path / "kernels.py"
    before = f"import tvm_ffi\nLIB = tvm_ffi.load_module({str(stubs)!r})\n{WRAPPED}"
    head = "# tvm-ffi-stubgen(begin): import-section\n# tvm-ffi-stubgen(end)\n"
    file.write_text(head + before)
    assert stubgen(file, "--dlls", stubs).returncode == 0
    text = file.read_text()
    block = text.partition("(begin): LIB\n")[2]
    assert block == (
        "# fmt: off\n"
        "def count(_0: Sequence[int], _1: int | None, _2: int, _3: int | None = None, /) -> int:\n"
        "    result: int = LIB.count(_0, _1, _2, _3)\n"
        "    return result\n"
        "\n\n# not a name in Python: lambda\n"
        "\n\ndef raw(*args: Any) -> Any:\n"
        "    return LIB.raw(*args)\n"
        "\n\ndef scale(factor: float, x: Tensor, y: Tensor) -> None:\n"
        '    """y = factor * x.\n\n'
        "    Both are float32.\n"
        '    """\n'
        "    LIB.scale(factor, x, y)\n"
        "# fmt: on\n"
        "# tvm-ffi-stubgen-library(end)\nhand_written = 1\n"
    )
    program = (
        "import kernels, numpy\n"
        "x, y = numpy.ones(2, 'float32'), numpy.ones(2, 'float32')\n"
        "kernels.scale(3, y=y, x=x)\n"
        "print(y, kernels.count([1, 2], 1, 2), kernels.count([1, 2], 3, 1, 4), kernels.raw(1, 2))\n"
    )
    done = python(tmp_path, program)
    assert done.stdout == "[3. 3.] 5 11 2\n", done.stderr
    assert mypy(tmp_path, "kernels.py").startswith("Success")


def test_stub_file_of_a_library(stubs: Path, tmp_path: Path) -> None:
    """In a .pyi file functions have no body; a type defined in the file is not imported."""
    file = tmp_path / "kernels.pyi"
    file.write_text(
        "# tvm-ffi-stubgen(begin): import-section\n# tvm-ffi-stubgen(end)\nclass Tensor: ...\n"
        f"{WRAPPED}__all__ = [\n    # tvm-ffi-stubgen(begin): __all__\n"
        "    # tvm-ffi-stubgen(end)\n]\n"
    )
    assert stubgen(tmp_path, "--dlls", stubs).returncode == 0
    text = file.read_text()
    assert "def raw(*args: Any) -> Any: ...\n" in text
    assert 'def scale(factor: float, x: Tensor, y: Tensor) -> None:\n    """y = fac' in text
    assert "LIB." not in text
    assert "import Tensor" not in text
    assert text.endswith(
        '__all__ = [\n    # tvm-ffi-stubgen(begin): __all__\n    "count",\n    "raw",\n'
        '    "scale",\n    # tvm-ffi-stubgen(end)\n]\n'
    )
    assert mypy(tmp_path, "kernels.pyi").startswith("Success")


def test_one_of_several_libraries(stubs: Path, library: Path, tmp_path: Path) -> None:
    """A block can name its library after an @."""
    file = tmp_path / "kernels.py"
    file.write_text(WRAPPED)
    both = f"{library};{stubs}"
    done = stubgen(file, "--dlls", both)
    assert done.returncode == 2
    wanted = "kernels.py:4: library LIB: expected one library that exports functions, got "
    assert f"{wanted}{library}, {stubs}: " in done.stderr
    file.write_text(WRAPPED.replace("(begin): LIB", "(begin): LIB@stubs"))
    assert stubgen(file, "--dlls", both).returncode == 0
    assert "LIB.raw(*args)" in file.read_text()


def test_docs(stubs: Path, tmp_path: Path) -> None:
    """--docs adds documentation and the parameter names from metadata; the text is escaped."""
    file = tmp_path / "api.py"
    file.write_text(
        "# tvm-ffi-stubgen(begin): global/stubs\n# tvm-ffi-stubgen(end)\n"
        "# tvm-ffi-stubgen(begin): global/stubs.odd\n# tvm-ffi-stubgen(end)\n"
        "class Pair:\n    # tvm-ffi-stubgen(begin): object/stubs.Pair\n"
        "    # tvm-ffi-stubgen(end)\n    pass\n"
    )
    assert stubgen(file, "--dlls", stubs, "--docs", "--indent", "2").returncode == 0
    text = file.read_text()
    assert (
        '  def add_one(_0: int, /) -> int:\n    """Adds "one".\n\n    Backslash: \\\\.\n    """\n'
    ) in text
    assert "  def named(x: int, y: int) -> int: ...\n" in text
    assert '    a: int\n    """The first."""\n    b: int\n' in text
    assert '      def sum(self, /) -> int:\n        """Add both."""\n' in text
    compile(text.replace("_FFI_INIT_FUNC", "str"), "api.py", "exec")
