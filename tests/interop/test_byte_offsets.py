# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R8
"""Kernels built with the published headers honour a byte offset, which those leave to them.

Our headers add it to the address when they make a view: only other headers can show that a kernel
adds it itself.
"""

import os
import subprocess
import sys

import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from example_runtimes import OK, ONLY_HERE, ROOT

TESTED = {
    example.name: example
    for example in find_examples(Layout.of(ROOT))
    if example.name not in ONLY_HERE and "load_function" in (ROOT / example.test).read_text()
}


@pytest.mark.parametrize("name", TESTED)
def test_a_byte_offset_is_honoured(copies, name):
    """The example's own test passes, from Python and from C."""
    assert copies.build(TESTED[name], "published") == OK
    pytest_ = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "byte_offset"]
    libraries = ["--libraries", str(copies.libraries["published"])]
    done = subprocess.run(
        [sys.executable, *pytest_, TESTED[name].test, *libraries],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        # The record of rows is about libraries built with our headers.
        env={key: value for key, value in os.environ.items() if key != "ROWS_RECORD"},
    )
    said = done.stdout + done.stderr
    errors = [line for line in said.splitlines() if line.startswith("E ")]
    assert done.returncode == 0, "\n".join([*errors, said])
