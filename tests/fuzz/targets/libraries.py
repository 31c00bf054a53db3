# SPDX-License-Identifier: Apache-2.0
"""Files that are not valid libraries: missing, truncated, for another architecture, corrupted.

What the loader reads after the ELF header, such as program headers and the dynamic section, is as
trusted as the code itself: a library that was tampered with can do anything. By contract, the
caller must ensure that its bytes are authentic.
"""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import tvm_ffi
from builds import build_small
from hypothesis import strategies as st
from ledger import Ledger
from target import expect

SMALL = build_small().read_bytes()
HEADER = 64  # bytes of an ELF header
ERRORS = (OSError, AttributeError)  # AttributeError: a library without the function
FOLDER = Path(tempfile.mkdtemp(prefix="libraries-"))

INPUTS = st.one_of(
    st.tuples(st.just("bits"), st.lists(st.integers(0, 8 * HEADER - 1), min_size=1, max_size=3)),
    st.tuples(
        st.just("field"), st.sampled_from(range(HEADER)), st.sampled_from([0, 1, 0x7F, 0xFF])
    ),
    st.tuples(st.just("cut"), st.integers(0, len(SMALL) - 1)),
    st.tuples(st.just("cut"), st.integers(0, 200)),
    st.tuples(st.just("machine"), st.integers(0, 0xFFFF)),
    st.tuples(st.just("machine"), st.sampled_from([3, 8, 40, 183, 243])),
    st.tuples(st.just("noise"), st.lists(st.integers(0, 255), max_size=80)),
    st.tuples(
        st.just("name"),
        st.text(max_size=8) | st.sampled_from(["a\0b", "", ".", "/", "..", "x" * 5000]),
    ),
    st.tuples(
        st.just("kind"),
        st.sampled_from(["folder", "fifo link", "dangling", "loop", "unreadable", "/dev/null"]),
    ),
    st.just(("whole",)),
).map(list)


def run(given: Any, ledger: Ledger) -> None:
    """Write such a file and load it."""
    what, *more = given
    content = bytearray(SMALL)
    if what == "bits":
        for bit in more[0]:
            content[bit // 8] ^= 1 << bit % 8
    elif what == "field":
        content[more[0]] = more[1]
    elif what == "cut":
        del content[more[0] :]
    elif what == "machine":
        struct.pack_into("<H", content, 18, more[0])
    elif what == "noise":
        content = bytearray(more[0])
    elif what == "name":
        tvm_ffi.load_module(more[0])
        return
    with tempfile.TemporaryDirectory(dir=FOLDER) as place:
        path = Path(place) / "library.so"
        path.write_bytes(content)
        if what == "kind":
            path = special(more[0], Path(place), path)
        module = tvm_ffi.load_module(path, keep_module_alive=False)
        expect(module.seven() == 7, "another answer")
        expect(len(content) == len(SMALL) or what != "cut" or more[0] > 0, "loaded from nothing")


def special(kind: str, place: Path, path: Path) -> Path:
    """Create something that is not a library file."""
    if kind == "/dev/null":
        return Path("/dev/null")
    other = place / "other.so"
    if kind == "folder":
        other.mkdir()
    elif kind == "unreadable":
        path.chmod(0)
        return path
    else:
        os.symlink({"fifo link": path, "dangling": place / "missing", "loop": other}[kind], other)
    return other
