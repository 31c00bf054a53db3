# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R8
"""Kernels built with the published headers honour a byte offset, which those leave to them.

Our headers add it to the address when they make a view: only other headers can show that a kernel
adds it itself.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from _verify.examples import find_examples
from _verify.layout import Layout
from example_runtimes import OK, ONLY_HERE, ROOT

TESTED = {
    example.name: example
    for example in find_examples(Layout.of(ROOT))
    if example.name not in ONLY_HERE and "load_function" in (ROOT / example.test).read_text()
}


@pytest.fixture(scope="module")
def said(copies, request) -> str:
    """What pytest says of the examples' own tests, in one process: importing takes longest."""
    here = [item for item in request.session.items if item.path == request.path]
    tested = [TESTED[item.callspec.params["name"]] for item in here]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        built = pool.map(lambda example: copies.build(example, "published"), tested)
        assert {*built} == {OK}
    pytest_ = ["-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", "-k", "byte_offset"]
    libraries = ["--libraries", str(copies.libraries["published"])]
    done = subprocess.run(
        [sys.executable, *pytest_, *(example.test for example in tested), *libraries],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        # The record of rows is about libraries built with our headers.
        env={key: value for key, value in os.environ.items() if key != "ROWS_RECORD"},
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", TESTED)
def test_a_byte_offset_is_honoured(said, name):
    """The example's own test passes, from Python and from C."""
    about = re.findall(rf"^(\w+) {TESTED[name].test}(?:::| )", said, re.MULTILINE)
    errors = [line for line in said.splitlines() if line.startswith("E ")]
    assert {*about} == {"PASSED"}, "\n".join([*errors, said])
