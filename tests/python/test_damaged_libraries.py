# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Libraries with damaged headers: each loads or raises an error; none crashes the process."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi

SOURCE = """
int __tvm_ffi_seven(void* handle, const void* args, int count, void* result) {
  ((int*)result)[0] = 1;
  ((long long*)result)[1] = 7;
  return 0;
}
"""
# Prints each bit before trying it, so the last line identifies a crash.
LOAD_EACH = """
import os, sys, tvm_ffi
library, folder = sys.argv[1:]
whole = open(library, "rb").read()
for bit in range(64 * 8):
    print("bit", bit, flush=True)
    damaged = bytearray(whole)
    damaged[bit // 8] ^= 1 << bit % 8
    path = os.path.join(folder, f"{bit}.so")
    with open(path, "wb") as file:
        file.write(damaged)
    try:
        module = tvm_ffi.load_module(path, keep_module_alive=False)
    except OSError as error:
        assert path in str(error)
    else:
        assert module.seven() == 7
    os.remove(path)
print("loaded or refused each")
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with one function."""
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "seven.c").write_text(SOURCE)
    built = folder / "seven.so"
    subprocess.run(["gcc", "-shared", "-fPIC", folder / "seven.c", "-o", built], check=True)
    return built


def test_each_bit_of_the_header(library: Path, tmp_path: Path) -> None:
    """Any one bit of the first 64 bytes may be flipped without a crash."""
    command = [sys.executable, "-c", LOAD_EACH, str(library), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("loaded or refused each\n"), done.stdout[-20:] + done.stderr[-2000:]


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (3, "x86"),
        (20, "PowerPC"),
        (21, "PowerPC 64"),
        (22, "S/390"),
        (224, "AMD GPU"),
        (243, "RISC-V"),
        (258, "LoongArch"),
    ],
)
def test_another_architecture(library: Path, tmp_path: Path, number: int, name: str) -> None:
    """The error names both architectures."""
    foreign = tmp_path / "foreign.so"
    content = bytearray(library.read_bytes())
    content[18:20] = number.to_bytes(2, "little")
    foreign.write_bytes(content)
    message = (
        rf"expected a library for \S+ \(64 bits, little-endian\), got one for {name} \(64 bits"
    )
    with pytest.raises(OSError, match=message):
        tvm_ffi.load_module(foreign)


def test_threads_variables_between_segments(tmp_path: Path) -> None:
    """A linker such as lld may place uninitialized ones at an address outside every segment."""
    source = tmp_path / "threads.c"
    source.write_text(
        SOURCE + "_Thread_local long of_thread;\nlong* f(void) { return &of_thread; }\n"
    )
    library = tmp_path / "threads.so"
    command = ["gcc", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    content = bytearray(library.read_bytes())
    table, size, count = (
        struct.unpack_from("<Q", content, 32)[0],
        *struct.unpack_from("<HH", content, 54),
    )
    heads = [table + size * i for i in range(count)]
    kinds = {head: struct.unpack_from("<I", content, head)[0] for head in heads}
    (threads,) = (head for head in heads if kinds[head] == 7)  # PT_TLS
    starts = [struct.unpack_from("<Q", content, head + 16)[0] for head in heads if kinds[head] == 1]
    between = max(starts) // 64 * 64 - 64
    struct.pack_into("<Q", content, threads + 16, between)
    library.write_bytes(content)
    assert tvm_ffi.load_module(library).seven() == 7
