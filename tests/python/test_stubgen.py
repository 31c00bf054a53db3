# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The command ``tvm-ffi-stubgen``: the packages and wrappers it writes, and its errors."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tvm_ffi.stub.annotations import Annotations

from .conftest import compile_cpp_library

ROOT = Path(__file__).resolve().parents[2]
INIT = ("--init-pypkg", "stubs", "--init-lib", "stubs", "--init-prefix", "stubs.")
WRAPPED = """
# tvm-ffi-stubgen-library(skip): same
# tvm-ffi-stubgen-library(names): scale(factor, x, y)
# tvm-ffi-stubgen-library(begin): LIB
# tvm-ffi-stubgen-library(end)
hand_written = 1
"""


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library built from stubs.cc."""
    path = tmp_path_factory.mktemp("stubs") / "libstubs.so"
    compile_cpp_library(Path(__file__).with_name("stubs.cc"), path)
    return path


@pytest.fixture(scope="module")
def package(stubs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library and a package generated for it."""
    folder = tmp_path_factory.mktemp("package")
    done = stubgen(folder, "--dlls", stubs, *INIT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    shutil.copy(stubs, folder)
    return folder


def stubgen(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    command = [sys.executable, "-m", "tvm_ffi.stub.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def importing_from(folder: Path) -> dict[str, str]:
    """Return the environment in which Python also imports from a folder."""
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def python(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a program that imports from a folder and finds its libraries."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**importing_from(folder), "LD_LIBRARY_PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def mypy(folder: Path, *arguments: str) -> str:
    """Type-check strictly in a folder."""
    pytest.importorskip("mypy", reason="the type checker is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*command, "--cache-dir", os.devnull, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def one(kind: str, *args: object) -> dict[str, object]:
    """Return the schema of a type."""
    return {"type": kind, **({"args": list(args)} if args else {})}


INT, STR = one("int"), one("ffi.String")
FUNCTION = {"type": "ffi.Function", "named_args": {"return": [one("None")], "params": [INT]}}


@pytest.mark.parametrize(
    ("schema", "taken", "given", "imports"),
    [
        (INT, "int", None, []),
        (one("const char*"), "str", None, []),
        (one("DLTensor*"), "Tensor", None, ["tvm_ffi.Tensor"]),
        (one("void*"), "c_void_p", None, ["ctypes.c_void_p"]),
        (one("Optional", INT), "int | None", None, []),
        (one("Optional", one("Optional", INT)), "int | None", None, []),
        (one("Variant", INT, STR, one("Optional", INT)), "int | str | None", None, []),
        (one("Tuple", INT, STR), "tuple[int, str]", None, []),
        (one("Tuple"), "tuple[()]", None, []),
        (one("Expected", INT, one("ffi.Error")), "int", None, []),
        (one("ffi.BigInt"), "int", None, []),
        (one("ffi.Shape"), "Shape", None, ["tvm_ffi.Shape"]),
        (one("ffi.VisitInterrupt"), "Any", None, ["typing.Any"]),
        (one("a.b.C"), "C", None, ["a.b.C"]),
        (one("std::vector", INT), "Sequence[int]", None, ["collections.abc.Sequence"]),
        (FUNCTION, "Callable[[int], None]", None, ["typing.Callable"]),
        (
            one("Optional", one("Variant", FUNCTION, one("ffi.Array", one("Variant", INT, STR)))),
            "Callable[[int], None] | Sequence[int | str] | None",
            None,
            ["collections.abc.Sequence", "typing.Callable"],
        ),
        (
            one("ffi.List", INT),
            "Sequence[int]",
            "MutableSequence[int]",
            ["collections.abc.MutableSequence", "collections.abc.Sequence"],
        ),
        (
            one("ffi.Dict", STR),
            "Mapping[str, Any]",
            "MutableMapping[str, Any]",
            ["collections.abc.Mapping", "collections.abc.MutableMapping", "typing.Any"],
        ),
    ],
)
def test_annotations(schema, taken, given, imports) -> None:
    """A type is written as Python code with exactly the imports it needs."""
    annotations = Annotations({}, set())
    assert annotations.text(schema, "taken") == taken
    assert annotations.text(schema, "given") == (given or taken)
    assert sorted(annotations.imports) == imports


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


def test_directives(stubs: Path, tmp_path: Path) -> None:
    """A ty-map applies to all files; import-object, export, skip-file and prefix take effect."""
    maps, objects, skipped = (tmp_path / f"{name}.py" for name in ("maps", "objects", "skipped"))
    maps.write_text(
        "# tvm-ffi-stubgen(ty-map): stubs.Pair -> my.pairs.Two\n"
        "# tvm-ffi-stubgen(ty-map): Tensor -> my.arrays.Array\n"
        "# tvm-ffi-stubgen(import-object): a.b.C;True;D\n"
        "# tvm-ffi-stubgen(begin): export/sub.part\n# tvm-ffi-stubgen(end)\n"
        "# tvm-ffi-stubgen(begin): import-section\n# tvm-ffi-stubgen(end)\n"
        "# tvm-ffi-stubgen(begin): global/stubs\n# tvm-ffi-stubgen(end)\n"
    )
    objects.write_text(
        '"""Types."""\n# tvm-ffi-stubgen(prefix): stubs\n'
        "# tvm-ffi-stubgen(skip): stubs.Locked\nlast = 1"
    )
    skipped.write_text("# tvm-ffi-stubgen(skip-file)\n# tvm-ffi-stubgen(begin): bogus\n")
    before = skipped.read_text()
    assert stubgen(tmp_path, "--dlls", stubs).returncode == 0
    text = maps.read_text()
    assert "    from a.b import C as D\n" in text
    assert "    from my.arrays import Array\n    from my.pairs import Two\n" in text
    assert "def scale(_0: Array, _1: float, _2: Array, /) -> None: ..." in text
    assert "def objects(_0: Two, _1: Object, _2: Error, /) -> Two: ..." in text
    assert "from .sub.part import __all__ as sub_part__all__\n" in text
    text = objects.read_text()
    assert "stubs.Locked)" not in text
    assert 'class Pair(_ffi_Object):\n    """FFI binding for `stubs.Pair`."""\n' in text
    assert text.index("class Options(") < text.index("class Pair(") < text.index("last = 1")
    assert text.startswith(
        '"""Types."""\n# tvm-ffi-stubgen(prefix): stubs\n\n'
        "# tvm-ffi-stubgen(begin): import-section\n"
    )
    assert skipped.read_text() == before
    assert stubgen(tmp_path, "--dlls", stubs, "--check").returncode == 0


def test_line_ends_stay(stubs: Path, tmp_path: Path) -> None:
    """A file with CRLF line endings keeps them, and a missing final newline is not added."""
    file = tmp_path / "api.py"
    text = b"x = 1\r\n# tvm-ffi-stubgen(begin): global/stubs.inner\r\n# tvm-ffi-stubgen(end)"
    file.write_bytes(text)
    assert stubgen(file, "--dlls", stubs).returncode == 0
    written = file.read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") == 7
    assert written.endswith(b"# tvm-ffi-stubgen(end)")


BEGIN, END = "# tvm-ffi-stubgen(begin): ", "# tvm-ffi-stubgen(end)\n"
LIBRARY, LIBRARY_END = "# tvm-ffi-stubgen-library(begin): ", "# tvm-ffi-stubgen-library(end)\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (f"x\n{BEGIN}bogus/x\n{END}", 2, "unknown block 'bogus/x': expected one of global/..., "),
        (f"{BEGIN}global\n{END}", 1, "expected global/..., got 'global'"),
        (f"{BEGIN}__all__/x\n{END}", 1, "expected __all__, got '__all__/x'"),
        ("# tvm-ffi-stubgen(bogus): x\n", 1, "unknown marker 'bogus': expected one of begin, end"),
        ("# tvm-ffi-stubgen-library(ty-map): x\n", 1, "unknown marker 'ty-map': expected one of "),
        (f"x\n{BEGIN}global/stubs\nx\n", 2, "expected an end of this block, got the end of the f"),
        (f"x\n{END}", 2, "expected a begin before this end"),
        (
            f"{BEGIN}global/stubs\n{BEGIN}global/stubs\n{END}{END}",
            2,
            "expected the end of the block of line 1, got a begin",
        ),
        (
            f"{LIBRARY}LIB\n{END}",
            2,
            "expected the end of the block of line 1, which is tvm-ffi-stubgen-library(end), got "
            "tvm-ffi-stubgen(end)",
        ),
        (
            f"{BEGIN}global/nothing\nx\n{END}",
            1,
            "global/nothing: expected a global function whose name begins with 'nothing.', got n",
        ),
        (
            f"{BEGIN}object/stubs.Nothing\n{END}",
            1,
            "object/stubs.Nothing: expected a type that a library registers, got none of that key",
        ),
        (f"{LIBRARY}1x\n{LIBRARY_END}", 1, "library: expected the name of the variable that hold"),
        (
            f"{LIBRARY}LIB@other\n{LIBRARY_END}",
            1,
            "library LIB@other: expected one library 'other' that exports functions, got none",
        ),
        (
            f"# tvm-ffi-stubgen-library(names): scale\n{LIBRARY}LIB\n{LIBRARY_END}",
            1,
            "names: expected a function and its parameters, such as scale(x, factor), got 'scale'",
        ),
        (
            f"# tvm-ffi-stubgen-library(names): scal(x)\n{LIBRARY}LIB\n{LIBRARY_END}",
            1,
            "names: expected one of count, lambda, raw, same, scale, got 'scal'",
        ),
        (
            f"# tvm-ffi-stubgen-library(names): scale(x, if, y)\n{LIBRARY}LIB\n{LIBRARY_END}",
            1,
            "names: scale: expected 3 different Python names, got x, if, y",
        ),
        ("# tvm-ffi-stubgen(ty-map): x\n", 1, "ty-map: expected type -> module.name, got 'x'"),
        (
            "# tvm-ffi-stubgen(import-object): a.b\n",
            1,
            "import-object: expected module.name;True or False;alias, got 'a.b'",
        ),
        (
            "# tvm-ffi-stubgen(prefix): nothing\n",
            1,
            "prefix: expected the prefix of a type that a library registers, got 'nothing'",
        ),
    ],
)
def test_wrong_lines(stubs: Path, tmp_path: Path, text, line, message) -> None:
    """The error names file and line; no file is written, not even a correct one."""
    file, right = tmp_path / "wrong.py", tmp_path / "right.py"
    file.write_text(text)
    right.write_text(f"{BEGIN}global/stubs\n{END}")
    done = stubgen(tmp_path, "--dlls", stubs)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tvm-ffi-stubgen: {file}:{line}: {message}"), done.stderr
    assert done.stderr.count("\n") == 1
    assert file.read_text() == text
    assert right.read_text() == f"{BEGIN}global/stubs\n{END}"


def test_library_without_metadata(library: Path, tmp_path: Path) -> None:
    """Nothing can be generated from it, and the error says how to add metadata."""
    file = tmp_path / "kernels.py"
    file.write_text(WRAPPED.replace("# tvm-ffi-stubgen-library(names): scale(factor, x, y)\n", ""))
    done = stubgen(file, "--dlls", library)
    assert (done.returncode, done.stderr) == (
        2,
        f"tvm-ffi-stubgen: {file}:3: library LIB: expected a library with metadata, got {library} "
        "without: define TVM_FFI_DLL_EXPORT_INCLUDE_METADATA as 1 before its first include\n",
    )


def test_wrong_arguments(stubs: Path, tmp_path: Path) -> None:
    """A missing library, module, file or folder is named without a traceback."""
    file = tmp_path / "broken.so"
    file.write_text("text")
    latin = tmp_path / "latin.py"
    latin.write_bytes(b"# \xe9\n")
    for arguments, message in (
        ((tmp_path, "--dlls", "./none.so"), "--dlls: ./none.so: there is no such file"),
        ((tmp_path, "--dlls", "none.so"), "--dlls: none.so: there is no such library: "),
        ((tmp_path, "--dlls", file), f"--dlls: {file}: load_module: {file} is not a library that"),
        ((tmp_path, "--imports", "no_such"), "--imports: no_such: ModuleNotFoundError: "),
        ((tmp_path / "none.py",), f"{tmp_path / 'none.py'}: there is no such file or folder"),
        ((latin,), f"{latin}: cannot be read: expected UTF-8, got invalid continuation byte"),
    ):
        done = stubgen(*arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(f"tvm-ffi-stubgen: {message}"), done.stderr
        assert done.stderr.count("\n") == 1
    for wrong in (
        ["--init-lib", "x"],
        [*INIT, "--check"],
        [*INIT, "--init-lib", "build/libstubs.so"],
        [*INIT, "--init-pypkg", 'a"b'],
        ["--target", "rust"],
        ["--indent", "0"],
        ["--indent", "4000000000000"],
    ):
        done = stubgen(tmp_path, *wrong)
        assert done.returncode == 2
        assert done.stderr.startswith("usage: tvm-ffi-stubgen ")


def test_prefix_of_nothing(stubs: Path, tmp_path: Path) -> None:
    """A prefix that no name has is reported with those that names have; the build goes on."""
    arguments = (tmp_path, *INIT, "--init-prefix", "my-stubs.")
    start = "tvm-ffi-stubgen: --init-prefix: expected the prefix of a registered name, "
    done = stubgen(*arguments, "--dlls", stubs)
    assert done.stderr == f"{start}stubs, got 'my-stubs.': no file is created\n"
    assert (done.returncode, [*tmp_path.iterdir()]) == (0, [])
    done = stubgen(*arguments)
    assert done.stderr == f"{start}but none is registered, got 'my-stubs.': no file is created\n"


def test_file_that_cannot_be_written(stubs: Path, tmp_path: Path) -> None:
    """The error names file and line, the file is intact, and no other file is left behind."""
    file = tmp_path / "api.py"
    text = f"x = 1\n{BEGIN}global/stubs\nold\n{END}"
    file.write_text(text)

    # In a separate program: forking this process would trigger a warning about JAX's threads.
    program = (
        "import resource, signal, sys\n"
        "from tvm_ffi.stub.cli import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, str(file), "--dlls", str(stubs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"tvm-ffi-stubgen: {file}:2: cannot be written: File too large\n"
    assert file.read_text() == text
    assert [*tmp_path.iterdir()] == [file]


def test_imported_modules_register_functions(tmp_path: Path) -> None:
    """--imports loads modules that register functions; a Python function has no types."""
    (tmp_path / "registers.py").write_text(
        "import tvm_ffi\ntvm_ffi.register_global_func('registers.f', lambda x: x)\n"
    )
    file = tmp_path / "api.py"
    file.write_text(f"{BEGIN}global/registers\n{END}")
    done = stubgen(file, "--imports", "registers", env=importing_from(tmp_path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "    def f(*args: Any) -> Any: ...\n" in file.read_text()


def test_mode_of_a_file_stays(stubs: Path, tmp_path: Path) -> None:
    """The file is replaced by one with the same mode; a link to it stays a link."""
    file, link = tmp_path / "api.py", tmp_path / "link.py"
    file.write_text(f"{BEGIN}global/stubs\n{END}")
    file.chmod(0o750)
    link.symlink_to(file)
    assert stubgen(link, "--dlls", stubs).returncode == 0
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o750
    assert "add_one" in file.read_text()


def test_line_ends_of_both_kinds(stubs: Path, tmp_path: Path) -> None:
    """A single CRLF line does not hide a block and stays unchanged."""
    file = tmp_path / "api.py"
    file.write_bytes(f"x = 1\r\n{BEGIN}global/stubs.inner\n{END}".encode())
    assert stubgen(file, "--dlls", stubs, "--check").returncode == 1
    assert stubgen(file, "--dlls", stubs).returncode == 0
    written = file.read_bytes()
    assert written.startswith(b"x = 1\r\n# tvm")
    assert written.count(b"\r") == 1
    file.write_bytes(written.replace(b"stubs.inner\n", b"stubs.inner\r\n"))
    assert stubgen(file, "--dlls", stubs, "--check").returncode == 0


def test_an_error_writes_no_file(stubs: Path, tmp_path: Path) -> None:
    """Earlier files are not written either if a later one cannot be."""
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    text = f"{BEGIN}global/stubs\n{END}"
    for file in (first, second):
        file.write_text(text)
    program = (
        "import sys, tempfile\n"
        "from tvm_ffi.stub import cli\n"
        "make = tempfile.mkstemp\n"
        "def fail(dir, prefix):\n"
        "    if prefix == '.b.py.':\n"
        "        raise PermissionError(13, 'Permission denied')\n"
        "    return make(dir=dir, prefix=prefix)\n"
        "tempfile.mkstemp = fail\n"
        "sys.exit(cli.main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", program, str(first), str(second), "--dlls", str(stubs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"tvm-ffi-stubgen: {second}:1: cannot be written: Permission denied\n"
    assert [file.read_text() for file in (first, second)] == [text, text]
    assert sorted(tmp_path.iterdir()) == [first, second]


def test_a_module_that_ends_the_program(tmp_path: Path) -> None:
    """The exit status differs from that of a successful check."""
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n")
    file = tmp_path / "api.py"
    file.write_text(f"{BEGIN}global/x\n{END}")
    done = stubgen(file, "--check", "--imports", "ends", env=importing_from(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "--imports: ends: SystemExit: 0" in done.stderr


def test_a_name_with_a_line_end_stays_in_its_comment(tmp_path: Path) -> None:
    """The line break must not turn the rest of the name into code."""
    (tmp_path / "registers.py").write_text(
        "import tvm_ffi\ntvm_ffi.register_global_func('registers.a\\nprint(1)', lambda x: x)\n"
    )
    file = tmp_path / "api.py"
    file.write_text(f"{BEGIN}global/registers\n{END}")
    done = stubgen(file, "--imports", "registers", env=importing_from(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "# not a name in Python: 'a\\nprint(1)'\n" in file.read_text()
