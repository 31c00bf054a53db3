# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The lines that ``tvm-ffi-stubgen`` reads in a file, and those that it keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from .stubgen_runs import (
    BEGIN,
    END,
    LIBRARY,
    LIBRARY_END,
    WRAPPED,
    importing_from,
    stubgen,
)


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
