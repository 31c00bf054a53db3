# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R8
"""Libraries that need a newer C++ or C library than the system has, as Troubleshooting shows.

The newer system is an imitation: a library with the name of the system's, and one function of a
version that no system has.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import tvm_ffi
import tvm_ffi.cpp

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernel_library"
SCRIPTS = "tests/snippets/newer_system"
CAPTURED = "tests/snippets/captured/newer_system"
VERSIONS = {"libstdc++.so.6": "GLIBCXX_3.4.99", "libc.so.6": "GLIBC_2.99"}


def run(*command, folder, **variables):
    """Run a command in the folder; give what it prints, and its errors after that.

    Without counting lines, which would add what the libraries need.
    """
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8", "TRACE_COMPILED": "no", **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def build(folder, library, calls=True):
    """Build kernel.so on a system whose library of that name has a newer version."""
    (folder / "newer").mkdir(exist_ok=True)
    (folder / "newer.c").write_text("void added_later(void) {}\n")
    (folder / "newer.map").write_text(f"{VERSIONS[library]} {{ global: added_later; }};\n")
    body = "added_later();" if calls else ""
    (folder / "kernel.c").write_text(
        f"void added_later(void);\nvoid kernel(void) {{ {body} }}\n",
    )
    stub = ["gcc", "-shared", "-fPIC", "-nostdlib", "newer.c", f"-Wl,-soname,{library}"]
    stub += ["-Wl,--version-script=newer.map", "-o", f"newer/{library}"]
    kernel = ["gcc", "-shared", "-fPIC", "-nostdlib", "kernel.c", f"newer/{library}"]
    kernel += ["-Wl,-rpath,$ORIGIN/newer", "-o", "kernel.so"]
    for command in (stub, kernel):
        status, said = run(*command, folder=folder)
        assert status == 0, said


def loaded(folder, code):
    """The last line that Python prints when it runs the code in the folder."""
    _, said = run(sys.executable, "-c", code, folder=folder)
    return said.rstrip().rpartition("\n")[2]


@pytest.mark.parametrize("library", VERSIONS)
def test_refused(captured, tmp_path, library):
    """The loader names the library that is too old, the version, and the library that needs it."""
    build(tmp_path, library)
    code = "import tvm_ffi; tvm_ffi.load_module('kernel.so')"
    said = loaded(tmp_path, code)
    [found] = re.findall(rf"(/\S+/{re.escape(library)}): version", said)
    assert Path(found).exists()
    said = said.replace(str(tmp_path), "/...").replace(found, f"/.../{library}")
    command = f'$ python -c "{code}"\nTraceback (most recent call last):\n  ...\n'
    captured(f"{CAPTURED}/{library.partition('.')[0]}.txt", command + said)


def test_required(captured, tmp_path):
    """The programs objdump and readelf print what the library needs; the first also for what."""
    build(tmp_path, "libstdc++.so.6")
    text = ""
    for command in ("objdump -T kernel.so | grep GLIBC", "readelf -V kernel.so | grep Name:"):
        status, said = run("bash", "-c", command, folder=tmp_path)
        assert status == 0, said
        text += f"$ {command}\n{said}"
    captured(f"{CAPTURED}/required.txt", text)


def test_provided(shows, tmp_path):
    """The script prints the newest version that each library of this system has."""
    script = shows(f"{SCRIPTS}/versions.sh", "tests/snippets/test_newer_system.py")
    maps = Path("/proc/self/maps").read_text()
    for library, name in (("libstdc++.so.6", "GLIBCXX"), ("libc.so.6", "GLIBC")):
        [path] = set(re.findall(rf"/\S*/{re.escape(library)}\S*$", maps, re.MULTILINE))
        status, said = run("bash", script, path, name, folder=tmp_path)
        assert status == 0, said
        if name == "GLIBC":
            assert said.strip() == f"GLIBC_{os.confstr('CS_GNU_LIBC_VERSION').split()[1]}"
        else:
            assert re.fullmatch(r"GLIBCXX_3\.4\.\d+\n", said)
            assert said.strip() != VERSIONS[library]
    build(tmp_path, "libstdc++.so.6")
    stub = tmp_path / "newer" / "libstdc++.so.6"
    assert run("bash", script, stub, "GLIBCXX", folder=tmp_path) == (0, "GLIBCXX_3.4.99\n")


def test_only_what_is_called_is_required(tmp_path):
    """Without the call, the library built on the newer system loads."""
    build(tmp_path, "libstdc++.so.6", calls=False)
    (tmp_path / "newer" / "libstdc++.so.6").unlink()
    assert tvm_ffi.load_module(tmp_path / "kernel.so").kind == "library"


@pytest.mark.parametrize("first", ["newer", "system"])
def test_the_first_one_of_a_process_counts(tmp_path, first):
    """A newer libstdc++ on the library's run path is not used if an older one is loaded."""
    build(tmp_path, "libstdc++.so.6")
    other = "libstdc++.so.6" if first == "system" else "./newer/libstdc++.so.6"
    code = f"import ctypes; ctypes.CDLL({other!r}); ctypes.CDLL('./kernel.so'); print('loaded')"
    said = loaded(tmp_path, code)
    if first == "newer":
        assert said == "loaded"
    else:
        assert "version `GLIBCXX_3.4.99' not found" in said


def symbols(library, *options):
    """The lines that nm prints of a library's dynamic symbols."""
    return subprocess.check_output(["nm", "-D", *options, library], text=True)


def test_linked_statically(shows, tmp_path):
    """With the C++ library inside, the kernel needs none, hides it, and works with errors."""
    example = "examples/kernel_library/scale/scale_kernel.cc"
    script = shows(f"{SCRIPTS}/link_statically.sh", example, "tests/snippets/test_newer_system.py")
    shutil.copytree(EXAMPLES / "scale", tmp_path / "scale")
    shutil.copy(EXAMPLES / "tvm_ffi_utils.h", tmp_path)
    scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    status, said = run("bash", script, folder=tmp_path, PATH=scripts)
    assert status == 0, said
    path = tmp_path / "scale_cpu.so"
    assert "GLIBCXX" not in symbols(path)
    assert "libstdc++" not in subprocess.check_output(["readelf", "-d", path], text=True)
    assert " _Znwm" not in symbols(path, "--defined-only")
    x = numpy.array([1, 2, 3], dtype="float32")
    y = numpy.empty_like(x)
    scale = tvm_ffi.load_module(path).scale
    scale(x, y, 2.0)
    assert y.tolist() == [2, 4, 6]
    with pytest.raises(ValueError, match="scale: y must be of shape"):
        scale(x, y[:2], 2.0)
    # Without the last flag, the names of the C++ library are visible to other libraries.
    (tmp_path / "allocate.cc").write_text("int* allocate() { return new int; }\n")
    link = "g++ -shared -fPIC allocate.cc -o allocate.so -static-libstdc++ -static-libgcc"
    status, said = run(*link.split(), folder=tmp_path)
    assert status == 0, said
    assert " T _Znwm" in symbols(tmp_path / "allocate.so", "--defined-only")
    # The runtime needs the system's C++ library in any case.
    assert "GLIBCXX" in symbols(tvm_ffi.libinfo.find_libtvm_ffi())
