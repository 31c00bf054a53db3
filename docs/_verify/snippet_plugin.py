# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin with which a test declares the files it ran, so that a page may show them.

``shows(path, *others)``: this test ran the file, with the help of the others.
``captured(path, text)``: this test produced this text, which is in the file; output that differs
between versions of Python and g++ is not compared.
``device``: ``cpu`` or ``cuda``; a test that requests it proves results for the given device.
``libraries``: the folder that contains the examples' libraries.
"""

from __future__ import annotations

import difflib
import inspect
import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from _verify.closure import closure_of
from _verify.normalise import normalised
from _verify.reads import Reads
from _verify.snippets import DECLARED

READS = pytest.StashKey[Reads]()
RECORDS = pytest.StashKey[dict[str, Any]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options without changing those of other plugins."""
    group = parser.getgroup("snippets")
    group.addoption("--snippet-device", default="cpu")
    group.addoption("--snippet-libraries", default="build/examples")
    group.addoption("--snippet-record", default=None)


def pytest_configure(config: pytest.Config) -> None:
    """Create one record for the session: what was shown, and what was skipped."""
    config.stash[RECORDS] = {"shown": [], "skipped": []}
    config.stash[READS] = Reads(config.rootpath)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a GPU, keep only the tests that request the device."""
    if config.getoption("--snippet-device") != "cpu":
        chosen = [item for item in items if "device" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """The device for which this run proves results."""
    name: str = request.config.getoption("--snippet-device")
    return name


@pytest.fixture
def libraries(request: pytest.FixtureRequest) -> Path:
    """The folder that contains the examples' libraries."""
    folder: str = request.config.getoption("--snippet-libraries")
    return (request.config.rootpath / folder).resolve()


@pytest.fixture
def shows(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Declare that this test ran a file of the repository, with the help of others."""
    root = request.config.rootpath

    def declare(path: str | Path, *others: str | Path) -> Path:
        names = [Path(root / each).resolve() for each in (path, *others)]
        for name in names:
            if not name.is_file():
                raise ValueError(f"shows: path: expected a file of the repository, got {name}")
        paths = [name.relative_to(root).as_posix() for name in names]
        record = {
            "path": paths[0],
            # Hashed when the test names them, before it runs them.
            "closure": closure_of(root, paths),
        }
        request.node.user_properties.append(("shows", record))
        return names[0]

    return declare


@pytest.fixture
def captured(
    shows: Callable[..., Path], request: pytest.FixtureRequest
) -> Callable[[str | Path, str], None]:
    """Compare text with the file that a page shows; UPDATE_CAPTURES=1 writes it if it differs."""

    def compare(path: str | Path, text: str) -> None:
        file = request.config.rootpath / path
        text = text.rstrip() + "\n"
        held = file.read_text() if file.exists() else ""
        same = file.exists() and normalised(held) == normalised(text)
        if not same and os.environ.get("UPDATE_CAPTURES"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            request.config.stash[READS].forget(file)
            same = True
        if file.exists():
            shows(path)
        difference = "\n".join(
            difflib.unified_diff(
                held.splitlines(), text.splitlines(), str(path), "this run", "", ""
            )
        )
        assert same, (
            f"{path} does not hold what this run got (UPDATE_CAPTURES=1 writes it):\n{difference}"
        )

    return compare


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the declarations of each test, with the test's outcome."""
    report = yield
    records = item.config.stash[RECORDS]
    if report.skipped and not hasattr(report, "wasxfail") and call.excinfo:
        files = DECLARED.findall(inspect.getsource(item.function))
        skip = {
            "test": item.nodeid,
            "reason": str(call.excinfo.value),
            "files": files,
        }
        records["skipped"].append(skip)
    if call.when == "call" or report.failed:
        for kind, record in item.user_properties:
            if kind == "shows" and isinstance(record, dict):
                records["shown"].append({**record, "outcome": report.outcome})
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the records if the runner requests them."""
    target = session.config.getoption("--snippet-record")
    if target:
        records = session.config.stash[RECORDS] | {"reads": session.config.stash[READS].closure()}
        Path(target).write_text(json.dumps(records))
