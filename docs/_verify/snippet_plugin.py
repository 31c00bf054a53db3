# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin with which a test says what it ran, so that a page may show it.

``shows(path, *others)``: this test ran the file, with the help of the others.
``captured(path, text)``: this test got this text, which the file holds; what versions of Python
and g++ print differently is not compared.
``device``: ``cpu`` or ``cuda``; a test that takes it proves for the device that it was given.
``libraries``: the folder that holds the examples' libraries.
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
    """Options that other plugins may have declared keep their meaning."""
    group = parser.getgroup("snippets")
    group.addoption("--snippet-device", default="cpu")
    group.addoption("--snippet-libraries", default="build/examples")
    group.addoption("--snippet-record", default=None)


def pytest_configure(config: pytest.Config) -> None:
    """One record for the session: what was shown, and what was skipped."""
    config.stash[RECORDS] = {"shown": [], "skipped": []}
    config.stash[READS] = Reads(config.rootpath)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On a GPU only the tests that take the device have something to prove."""
    if config.getoption("--snippet-device") != "cpu":
        chosen = [item for item in items if "device" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """The device on which this run proves things."""
    name: str = request.config.getoption("--snippet-device")
    return name


@pytest.fixture
def libraries(request: pytest.FixtureRequest) -> Path:
    """The folder that holds the examples' libraries."""
    folder: str = request.config.getoption("--snippet-libraries")
    return (request.config.rootpath / folder).resolve()


@pytest.fixture
def shows(request: pytest.FixtureRequest) -> Callable[..., Path]:
    """Say that this test ran a file of the repository, which others took part in."""
    root = request.config.rootpath

    def declare(path: str | Path, *others: str | Path) -> Path:
        names = [Path(root / each).resolve() for each in (path, *others)]
        for name in names:
            if not name.is_file():
                raise ValueError(f"shows: path: expected a file of the repository, got {name}")
        paths = [name.relative_to(root).as_posix() for name in names]
        record = {
            "path": paths[0],
            # Hashed when the test names them, which it does before it runs them.
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
    """Keep what each test declared, with how the test ended."""
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
    """Write the records, for the runner alone."""
    target = session.config.getoption("--snippet-record")
    if target:
        records = session.config.stash[RECORDS] | {"reads": session.config.stash[READS].closure()}
        Path(target).write_text(json.dumps(records))
