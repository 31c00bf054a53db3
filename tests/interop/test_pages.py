# SPDX-License-Identifier: Apache-2.0
# Rows: R8, R9
"""The doctests of all pages under the published package; the site holds its notes to the record."""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from _verify.layout import Layout
from _verify.published_kept import run_changed
from _verify.published_pages import pages_of, record_of, replay, write_record
from example_runtimes import CUDA, OK, ONLY_HERE, ROOT

LAYOUT = Layout.of(ROOT)
PAGES = pages_of(LAYOUT)


@pytest.fixture(scope="module")
def found(pythons, copies, again) -> dict:
    """What came of each page, with libraries that were built as a user of that package does."""
    texts = "".join((ROOT / page).read_text() for page in PAGES)
    # A page only looks into a library for a GPU.
    on_gpu = [each for each in copies.examples if f"/{each.library(CUDA)}" in texts]

    def build(pool) -> None:
        built = pool.map(partial(copies.build, kind="published"), copies.examples)
        named = zip([each.name for each in copies.examples], built, strict=True)
        wrong = {name: told for name, told in named if told != OK}
        assert {*wrong} == {*ONLY_HERE}, wrong
        if copies.nvcc:
            for told in pool.map(lambda each: copies.build(each, "published", CUDA), on_gpu):
                assert told == OK

    run = partial(
        replay,
        python=pythons["published"],
        layout=LAYOUT,
        libraries=copies.libraries["published"],
        environment=copies.environment("published"),
    )
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pages = run_changed("pages", PAGES, LAYOUT, build, run, pool, again=again)
    write_record(LAYOUT, pages)
    return pages


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(found, page):
    """Some of its doctests pass under either package."""
    assert found[page]["passed"]


def test_record_is_for_the_site(found):
    """It is of the pages as they are now."""
    assert record_of(LAYOUT.root, LAYOUT.build) == found
