# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6
"""Concurrent builds, and builds that are killed."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tvm_ffi
from tvm_ffi import cpp

from .cpp_builds import ADD, own_cache, wrapper  # noqa: F401  (a fixture)


@pytest.fixture
def go(tmp_path: Path) -> Iterator[Path]:
    """Yield the file that a slow compiler waits for; create it by the end of the test."""
    yield tmp_path / "go"
    (tmp_path / "go").touch()


def test_two_processes_build_once(tmp_path: Path, go: Path) -> None:
    """The second process waits for the first and uses its result."""
    log = tmp_path / "log"
    log.touch()
    wrapper(
        tmp_path / "slow",
        f'case " $* " in *" -c "*) echo x >> "{log}"\n'
        f'while [ ! -e "{go}" ]; do sleep 0.01; done;; esac',
    )
    code = f"""
import sys
from tvm_ffi import cpp
from tvm_ffi.cpp import ninja
ninja.PROGRESS_AFTER = 0.01
print(cpp.load_inline("adder", cpp_sources={ADD!r}, functions="add").add(1, 2), flush=True)
"""
    environment = {**os.environ, "CXX": str(tmp_path / "slow")}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    with start() as first:
        assert first.stderr is not None
        line = first.stderr.readline()
        assert line.startswith("tvm_ffi.cpp: load_inline: adder: compiling and linking in 2 steps")
        with start() as second:
            assert second.stderr is not None
            line = second.stderr.readline()
            assert "adder: waiting for another process that builds in" in line
            go.touch()
            assert second.communicate()[0] == "3\n"
        assert first.communicate()[0] == "3\n"
    assert log.read_text() == "x\n"


def test_threads_build_once(compilations: Callable[[], int]) -> None:
    """One thread builds, and the others use its result."""
    build = functools.partial(cpp.build_inline, cpp_sources=ADD, functions="add")
    with ThreadPoolExecutor(4) as pool:
        paths = set(pool.map(build, ["adder"] * 8))
    assert len(paths) == 1
    assert compilations() == 1


def test_killed_build_is_taken_up_by_the_next(tmp_path: Path, go: Path) -> None:
    """The killed process's compilers exit before another process builds in the folder."""
    log, begun = tmp_path / "log", tmp_path / "begun"
    os.mkfifo(begun)
    wrapper(
        tmp_path / "slow",
        f'case " $* " in *" -c "*) echo begin >> "{log}"\n'
        f'if [ -p "{begun}" ]; then echo > "{begun}"; fi\n'
        f'while [ ! -e "{go}" ]; do sleep 0.01; done; echo end >> "{log}";; esac',
    )
    code = f"""
from tvm_ffi import cpp
from tvm_ffi.cpp import ninja
ninja.PROGRESS_AFTER = 0.01
print(cpp.build_inline("adder", cpp_sources={ADD!r}, functions="add"))
"""
    environment = {**os.environ, "CXX": str(tmp_path / "slow")}
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as first:
        begun.read_text()  # returns once the compiler has started
        begun.unlink()
        first.send_signal(signal.SIGKILL)
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as second:
        assert second.stderr is not None
        assert "waiting for another process" in second.stderr.readline()
        go.touch()
        path = second.communicate()[0].strip()
    assert tvm_ffi.load_module(path).add(1, 2) == 3
    assert log.read_text().split() == ["begin", "end", "begin", "end"]
