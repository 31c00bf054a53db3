# SPDX-License-Identifier: Apache-2.0
"""Which device the example tests run on, and where the libraries under test are."""

import os
from pathlib import Path

import c_call
import pytest
import tvm_ffi
from hypothesis import settings

# Use the same inputs in every run; a case may wait for a compiler or a GPU.
MOST = int(os.environ.get("MAX_EXAMPLES", "60"))
settings.register_profile("examples", derandomize=True, deadline=None, max_examples=MOST)
settings.load_profile("examples")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--device` and `--libraries`."""
    parser.addoption("--device", choices=("cpu", "cuda"), default="cpu")
    parser.addoption("--libraries", type=Path, default=Path("build/examples"))


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """Device that the kernels run on, "cpu" or "cuda"."""
    return request.config.getoption("--device")


@pytest.fixture(scope="session")
def libraries(request: pytest.FixtureRequest) -> Path:
    """Folder with the example libraries."""
    return request.config.getoption("--libraries")


@pytest.fixture(scope="session")
def load(device: str, libraries: Path):
    """Loads the library of an example for the device under test."""
    return lambda name: tvm_ffi.load_module(libraries / f"{name}_{device}.so")


@pytest.fixture(params=["from Python", "from C"])
def load_function(request: pytest.FixtureRequest, load, device: str, libraries: Path):
    """Loads a function of an example, to be called from Python or as a C program calls it."""
    if request.param == "from Python":
        return lambda example, name: load(example)[name]
    return lambda example, name: c_call.function(libraries / f"{example}_{device}.so", name)
