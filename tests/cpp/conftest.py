# SPDX-License-Identifier: Apache-2.0
"""Runs the C++ tests: every function that a ``test_*.cc`` exports under a name ``test_*``.

Each file is built into a library with the flags of ``tvm-ffi-config`` and with warnings as errors.
The library that ``test_NAME.cc`` loads itself, where it does, is built from ``NAME_library.cc``.
A test fails by throwing; the comment above the function says which behaviour it pins.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import tvm_ffi
from _verify.package_flags import flags

EXPORT = re.compile(r"^TVM_FFI_DLL_EXPORT_TYPED_FUNC\((test_\w+),", re.MULTILINE)
FLAGS = "-shared -fPIC -O1 -Wall -Wextra -Wconversion -Werror"
MORE = os.environ.get("CPP_TESTS_FLAGS", "")  # of a run under another package

# Libraries by what they are made of. A run that counts lines wants its own.
ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(os.environ.get("CPP_TESTS_BUILD", ROOT / "build" / "cpp_tests"))


def build(source: Path, library: Path) -> subprocess.CompletedProcess:
    """Compile one source into a library; the compiler's words are in the result."""
    compiler = shlex.split(f"g++ {FLAGS} {flags('--cxxflags')} {MORE} {source}")
    link = shlex.split(f"{flags('--ldflags')} -ltvm_ffi")
    version = subprocess.check_output(["g++", "--version"], text=True)
    read = subprocess.run([*compiler, "-E"], capture_output=True, text=True, check=False)
    made_of = "\0".join([version, *compiler, *link, read.stdout])
    kept = KEPT / f"{hashlib.sha256(made_of.encode()).hexdigest()}.so"
    if read.returncode == 0 and kept.exists():
        shutil.copy(kept, library)
        return read
    command = [*compiler, "-o", str(library), *link]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        KEPT.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, kept.with_suffix(f".{os.getpid()}"))
        os.replace(kept.with_suffix(f".{os.getpid()}"), kept)
    return done


class CppFile(pytest.File):
    """One source with its tests."""

    def collect(self):
        """Find the exported tests without building anything."""
        names = EXPORT.findall(self.path.read_text())
        if not names:
            raise self.CollectError(f"{self.path}: expected exported functions test_*, got none")
        for name in names:
            yield CppTest.from_parent(self, name=name)

    def setup(self):
        """Build and load the library, once for all its tests, beside the one that it loads."""
        # A folder of its own: a library that some process has loaded must not be overwritten.
        folder = tempfile.TemporaryDirectory(prefix="cpp_tests_")
        self.addfinalizer(folder.cleanup)
        subject = self.path.stem.removeprefix("test_")
        for source in [*self.path.parent.glob(f"{subject}_library.cc"), self.path]:
            library = Path(folder.name) / f"{source.stem}.so"
            built = build(source, library)
            if built.returncode != 0:
                pytest.fail(f"{source} does not compile:\n{built.stderr}", pytrace=False)
        self.module = tvm_ffi.load_module(library)


class CppTest(pytest.Item):
    """One exported function."""

    def runtest(self):
        """Call it; what it throws is the failure."""
        getattr(self.parent.module, self.name)()

    def repr_failure(self, excinfo):
        """Show the C++ error with its place."""
        places = [f"{entry.path}:{entry.lineno + 1}" for entry in excinfo.traceback[-2:]]
        return "\n".join([*places, excinfo.exconly()])

    def reportinfo(self):
        """Name the test by its source."""
        return self.path, None, f"{self.path.name}::{self.name}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """Take ``test_*.cc`` files as tests."""
    if file_path.suffix == ".cc" and file_path.name.startswith("test_"):
        return CppFile.from_parent(parent, path=file_path)
    return None
