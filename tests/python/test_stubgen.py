# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R8
"""The command ``tvm-ffi-stubgen``: its arguments, its exit status, and files it cannot write."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .stubgen_runs import BEGIN, END, INIT, importing_from, stubgen


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


def test_a_module_that_ends_the_program(tmp_path: Path) -> None:
    """The exit status differs from that of a successful check."""
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n")
    file = tmp_path / "api.py"
    file.write_text(f"{BEGIN}global/x\n{END}")
    done = stubgen(file, "--check", "--imports", "ends", env=importing_from(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert "--imports: ends: SystemExit: 0" in done.stderr


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
