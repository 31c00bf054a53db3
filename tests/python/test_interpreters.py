# SPDX-License-Identifier: Apache-2.0
# Rows: R5
"""Sub-interpreters: the package refuses them, and the main interpreter is unaffected."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
{before}
other = interpreters.create({kind})
interpreters.run_string(other, '''
try:
    import tvm_ffi
except ImportError as error:
    print(error)
''')
interpreters.destroy(other)
import tvm_ffi
assert list(tvm_ffi.Function(lambda x: [x])(3)) == [3]
assert isinstance(tvm_ffi.convert({{"a": [1]}}), tvm_ffi.Map)
"""


# From 3.13 on, the default kind has its own GIL, and Python itself refuses the package.
KINDS = ["", "'legacy'"] if sys.version_info >= (3, 13) else [""]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", ["", "import tvm_ffi"])
def test_sub_interpreters_are_refused(before: str, kind: str) -> None:
    """Importing fails there with a reason; the main interpreter imports and calls as usual."""
    code = SCRIPT.format(before=before, kind=kind)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout in {
        "tvm_ffi can be imported in the main interpreter only, not in a sub-interpreter\n",
        # Python's own message.
        "module tvm_ffi._core does not support loading in subinterpreters\n",
    }
