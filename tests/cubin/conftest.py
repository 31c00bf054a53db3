# SPDX-License-Identifier: Apache-2.0
"""Fixtures shared by the CUBIN tests."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import builds  # noqa: E402  (in a folder that was just named)


@pytest.fixture(scope="session")
def fake(tmp_path_factory):
    """The folder of the fake CUDA."""
    if not builds.nvcc():
        pytest.skip("no nvcc is installed")
    return builds.build_fake(tmp_path_factory.mktemp("fake"))


@pytest.fixture(scope="session")
def cubin(fake, tmp_path_factory):
    """The CUBIN file of the kernels."""
    path = tmp_path_factory.mktemp("cubin") / "kernels.cubin"
    builds.build_cubin(HERE / "kernels.cu", path)
    return path
