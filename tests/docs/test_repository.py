# SPDX-License-Identifier: Apache-2.0
# Rows: R9
"""A page links to its file in the repository if that has an address, or to its own source."""

import pytest

pytest.importorskip("sphinx")

from _ext.repository import path_of, site_address, source_links

GITHUB = {
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "someone/kernels",
    "GITHUB_REF_TYPE": "branch",
    "GITHUB_REF_NAME": "main",
}
READ_THE_DOCS = {
    "READTHEDOCS_GIT_CLONE_URL": "https://github.com/someone/kernels.git",
    "READTHEDOCS_VERSION_TYPE": "branch",
    "READTHEDOCS_GIT_IDENTIFIER": "main",
}
LINKS = {
    "source_repository": "https://github.com/someone/kernels",
    "source_branch": "main",
    "source_directory": "docs",
}


@pytest.mark.parametrize("environ", [GITHUB, READ_THE_DOCS])
def test_a_branch_has_an_address(environ):
    """The workflow that publishes a branch provides its address."""
    assert source_links(environ) == LINKS


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {**GITHUB, "GITHUB_HEAD_REF": "change", "GITHUB_REF_NAME": "12/merge"},
        {**GITHUB, "GITHUB_REF_TYPE": "tag"},
        {**GITHUB, "GITHUB_SERVER_URL": "https://git.example.org"},
        {**READ_THE_DOCS, "READTHEDOCS_VERSION_TYPE": "external"},
        {**READ_THE_DOCS, "READTHEDOCS_GIT_CLONE_URL": "git@github.com:someone/kernels.git"},
    ],
)
def test_no_link_where_it_would_be_dead(environ):
    """There is no link without a host, or for a pull request, tag, unknown host or ssh address."""
    assert source_links(environ) == {}


@pytest.mark.parametrize(
    ("environ", "address", "path"),
    [
        ({}, "", "/"),
        ({"DOCS_ADDRESS": "https://someone.github.io/kernels"}, None, "/kernels/"),
        ({"READTHEDOCS_CANONICAL_URL": "https://k.readthedocs.io/en/latest/"}, None, "/en/latest/"),
    ],
)
def test_path_of_the_site(environ, address, path):
    """Absolute links start with this path."""
    found = site_address(environ)
    assert found == (next(iter(environ.values())).rstrip("/") + "/" if address is None else "")
    assert path_of(found) == path
