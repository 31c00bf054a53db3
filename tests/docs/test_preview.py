# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""The preview verifies and rebuilds what is edited, and nothing else."""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

pytest.importorskip("sphinx_autobuild", reason="sphinx-autobuild is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"
KERNEL = "examples/kernel_library/scale/scale_kernel.cc"
PATIENCE = 120  # seconds after which a silent preview has failed


class Preview:
    """A running preview of a project."""

    def __init__(self, project) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        script = str(DOCS / "preview.py")
        self.process = subprocess.Popen(
            [sys.executable, script, "--root", ".", "--port", str(self.port)],
            cwd=project.root,
            env={**os.environ, **project.variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        """Forward the server's output, then signal its end."""
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def until(self, *words: str) -> str:
        """Return the output up to a line that contains one of the words."""
        said = ""
        while not any(word in said for word in words):
            try:
                line = self.lines.get(timeout=PATIENCE)
            except queue.Empty:
                raise AssertionError(f"nothing for {PATIENCE} s after\n{said}") from None
            assert line is not None, said
            said += line
        return said

    def built(self) -> str:
        """Return the output up to the end of the next build."""
        return self.until("Serving on")

    def wait_for_server(self) -> None:
        """Wait until the server answers; from then on it notices edits."""
        for _ in range(PATIENCE * 10):
            try:
                self.page("index")
                return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("the server did not answer")

    def page(self, name: str) -> str:
        """Fetch a page as a browser would."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{name}.html") as answer:
            return answer.read().decode()

    def stop(self) -> int:
        """Press Ctrl-C and return the exit status."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)

    def wait_for_children(self) -> None:
        """Wait up to 10 s for Python 3.14's helper processes, which outlive it."""
        for _ in range(100):
            try:
                os.killpg(self.process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.1)
        raise AssertionError("a child is still running")

    def end(self) -> None:
        """Clean up, even after a failure."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.reader.join()
        self.process.stdout.close()


@pytest.fixture
def preview(project):
    """A preview of the toy project, verified beforehand."""
    running = Preview(project)
    yield running
    running.end()


def test_edits_are_verified_built_and_shown(project, preview):
    """Each edit is noticed, even if it breaks the page, and Ctrl-C leaves nothing behind."""
    said = preview.built()
    assert "ran 0 of" in said, said
    preview.wait_for_server()

    project.append("docs/index.rst", "\nA sentence that is new.\n\n>>> 2 + 2\n4\n")
    said = preview.built()
    assert "ran 1 of" in said
    assert "A sentence that is new." in preview.page("index")
    assert "Not verified" not in preview.page("index")

    project.replace("docs/index.rst", ">>> 2 + 2\n4\n", ">>> 2 + 2\n5\n")
    said = preview.built()
    assert "FAILED docs/index.rst" in said
    assert "Not verified" in preview.page("index")

    project.replace("docs/index.rst", ">>> 2 + 2\n5\n", ">>> 2 + 2\n4\n")
    preview.built()
    assert "Not verified" not in preview.page("index")

    project.append(KERNEL, "// changed\n")
    said = preview.built()
    assert "libraries: 1 compiled (scale_cpu.so), 1 unchanged" in said, said
    assert "ran 2 of" in said  # the kernel's own test, and the page that loads it

    assert preview.stop() in (0, 130, -signal.SIGINT)
    preview.wait_for_children()
