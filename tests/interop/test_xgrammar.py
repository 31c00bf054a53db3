# SPDX-License-Identifier: Apache-2.0
# Rows: R3, R5, R6, R7
"""An independent client: the xgrammar wheel from PyPI on our runtime.

``nox -s interop`` makes the environment with xgrammar, and without apache-tvm-ffi, and names its
interpreter. The checks are those of xgrammar_probe.py, one test for each.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest

PROBE = Path(__file__).with_name("xgrammar_probe.py")
CHECKS = re.findall(r"^def (check_\w+)\(", PROBE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def seen(client_python) -> dict[str, str]:
    """What each check came to: nothing, or its traceback."""
    done = subprocess.run([client_python, str(PROBE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("check", CHECKS)
def test_xgrammar(seen, check) -> None:
    """What the function of this name in xgrammar_probe.py says holds."""
    assert seen[check] == ""
