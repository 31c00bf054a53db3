# SPDX-License-Identifier: Apache-2.0
"""Where the published package is, and the table at the end of a run."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parents[1] / "docs"))

from example_runtimes import Copies  # noqa: E402  (in a folder that was just named)
from table import TABLE, as_text  # noqa: E402


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--peer-python`, `--client-python` and `--again`."""
    parser.addoption("--peer-python", default=None, help="an interpreter with apache-tvm-ffi")
    parser.addoption("--client-python", default=None, help="an interpreter with ours and xgrammar")
    text = "run what docs/compared/published.json keeps, too"
    parser.addoption("--again", action="store_true", help=text)


@pytest.fixture(scope="session")
def pythons(request) -> dict[str, str]:
    """The interpreters that have our package and the published one."""
    peer = request.config.getoption("--peer-python")
    if peer is None:
        pytest.skip("nox -s interop makes the environment with the published package")
    return {"ours": sys.executable, "published": peer}


@pytest.fixture(scope="session")
def again(request) -> bool:
    """Whether to run again what has not changed since its result was kept."""
    return request.config.getoption("--again")


@pytest.fixture(scope="session")
def client_python(request) -> str:
    """The interpreter that has our package and xgrammar."""
    client = request.config.getoption("--client-python")
    if client is None:
        pytest.skip("nox -s interop makes the environment with xgrammar")
    return client


@pytest.fixture(scope="session")
def copies(pythons, tmp_path_factory) -> Copies:
    """A copy of the examples, to build as a user of either package does."""
    return Copies(pythons, tmp_path_factory.mktemp("examples"))


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the table, where this run made one."""
    if TABLE:
        terminalreporter.write_sep("=", "interop table")
        terminalreporter.write(as_text(TABLE))
