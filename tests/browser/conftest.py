# SPDX-License-Identifier: Apache-2.0
"""The built site on a local port, and a real Chromium: ``nox -s browser``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(Path(__file__).parent)]

from playwright.sync_api import Browser, BrowserContext, sync_playwright  # noqa: E402
from serve import serving  # noqa: E402  (in folders that were just named)
from visit import Window  # noqa: E402

SCREENSHOTS = ROOT / "build" / "browser"
# No sandbox, since root in a container has none; no background requests by the browser.
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for the site and for splitting the tests between processes."""
    parser.addoption("--site", type=Path, default=ROOT / "build" / "site", help="a built site")
    parser.addoption("--part", default="1/1", help="1/2: the first two tests of every four")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the other parts' tests to other processes."""
    part, parts = map(int, config.getoption("--part").split("/"))
    items[:] = [item for i, item in enumerate(items) if i // 2 % parts == part - 1]


def pages_of(site: Path) -> list[str]:
    """Return every page of a site except redirects, relative to it.

    One template makes all receipt pages, so only the longest is returned.
    """
    receipts = sorted((site / "receipts").rglob("*.html"), key=lambda path: path.stat().st_size)
    others = {*site.rglob("*.html")} - {*receipts}
    found = [path for path in others if not leads_elsewhere(path)] + receipts[-1:]
    return sorted(path.relative_to(site).as_posix() for path in found)


def leads_elsewhere(path: Path) -> bool:
    """Whether a page is a redirect."""
    return 'http-equiv="refresh"' in path.read_text()[:2000]


def site_of(config: pytest.Config) -> Path:
    """Return the site to test; raises pytest.UsageError if there is none."""
    site = config.getoption("--site").resolve()
    if not (site / "index.html").exists():
        raise pytest.UsageError(f"{site} has no built site. Type: nox -s docs browser")
    return site


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize a test of every page with the pages' names."""
    if "every_page" in metafunc.fixturenames:
        metafunc.parametrize("every_page", pages_of(site_of(metafunc.config)))


@pytest.fixture(scope="session")
def site(pytestconfig) -> Path:
    """The built site's folder."""
    return site_of(pytestconfig)


@pytest.fixture(scope="session")
def address(site) -> Iterator[str]:
    """The address at which the site is served."""
    with serving(site) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "chromium is missing: sudo apt-get install -y chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def window(browser) -> Callable[[str], Window]:
    """Return the window of a colour scheme, opened once."""
    return cache(lambda scheme: Window(browser, scheme))


@pytest.fixture
def reader(browser, address) -> Iterator[BrowserContext]:
    """A reader's own window, which remembers choices for one test."""
    context = browser.new_context(
        base_url=f"{address}/",
        color_scheme="light",
        permissions=["clipboard-read", "clipboard-write"],
        viewport={"width": 1440, "height": 900},
    )
    context.set_default_timeout(20_000)
    with context:
        yield context
