# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R8
"""What the page on troubleshooting shows besides its doctests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tvm_ffi


def error_beside(site, code):
    """Run code in a Python that finds the package in a folder; give its error, as a page has it."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    if done.returncode == 0:
        return done.stderr
    head, kind, message = re.split(r"^(\w+Error): ", done.stderr, maxsplit=1, flags=re.MULTILINE)
    text = f"{head.splitlines()[0]}\n  ...\n{kind}: {message}".replace(str(site), "site-packages")
    return f'$ python -c "{code}"\n{text.rstrip()}'


def test_two_packages(captured, tmp_path):
    """The package refuses a folder that holds the published one too; see also tests/interop."""
    shutil.copytree(Path(tvm_ffi.__file__).parent, tmp_path / "tvm_ffi")
    assert error_beside(tmp_path, "import tvm_ffi") == ""
    (tmp_path / "tvm_ffi" / "libinfo.py").touch()
    text = error_beside(tmp_path, "import tvm_ffi")
    captured("tests/snippets/captured/two_packages.txt", text)


def test_half_uninstalled(captured, tmp_path):
    """What is left of two packages when one was uninstalled is a folder that is no package."""
    shutil.copytree(Path(tvm_ffi.__file__).parent, tmp_path / "tvm_ffi")
    (tmp_path / "tvm_ffi" / "__init__.py").unlink()
    text = error_beside(tmp_path, "import tvm_ffi; tvm_ffi.load_module")
    captured("tests/snippets/captured/half_uninstalled.txt", text)


def test_graph_break(shows):
    """With fullgraph=True, torch.compile refuses the call of a function that it cannot trace."""
    torch = pytest.importorskip("torch")
    shows("tests/snippets/test_troubles.py")
    kernel = tvm_ffi.convert(lambda x: None)

    # [graph_break.begin]
    def model(x):
        kernel(x)
        return x + 1

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(model, fullgraph=True, backend="eager")(torch.ones(3))
    # [graph_break.end]
    assert model(torch.ones(3)).tolist() == [2, 2, 2]
