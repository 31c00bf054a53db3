# SPDX-License-Identifier: Apache-2.0
"""Where the published package is."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--peer-python`."""
    parser.addoption("--peer-python", default=None, help="an interpreter with apache-tvm-ffi")
