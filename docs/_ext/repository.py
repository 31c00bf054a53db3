# SPDX-License-Identifier: Apache-2.0
"""What the machine that publishes the site knows of the repository: its address and the commit.

Nothing is guessed: dead links are not generated, and a page then links to its own source.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def clone_address(environ: Mapping[str, str]) -> str:
    """Return the address for ``git clone``; empty if unknown."""
    if environ.get("READTHEDOCS_GIT_CLONE_URL"):
        return environ["READTHEDOCS_GIT_CLONE_URL"]
    if environ.get("GITHUB_REPOSITORY"):
        server = environ.get("GITHUB_SERVER_URL", "https://github.com")
        return f"{server}/{environ['GITHUB_REPOSITORY']}"
    return ""


def source_links(environ: Mapping[str, str]) -> dict[str, str]:
    """Return theme options that link pages to their files; none if the address is unknown."""
    address = clone_address(environ).removesuffix(".git").rstrip("/")
    if environ.get("READTHEDOCS_GIT_CLONE_URL"):
        is_branch = environ.get("READTHEDOCS_VERSION_TYPE") == "branch"
        branch = environ.get("READTHEDOCS_GIT_IDENTIFIER", "") if is_branch else ""
    elif address:
        # A pull request's GITHUB_REF_NAME is not a branch, which GITHUB_HEAD_REF indicates.
        is_branch = environ.get("GITHUB_REF_TYPE") == "branch" and not environ.get(
            "GITHUB_HEAD_REF"
        )
        branch = environ.get("GITHUB_REF_NAME", "") if is_branch else ""
    else:
        return {}
    # The theme supports only these hosts.
    known = ("https://github.com/", "https://gitlab.com/", "https://bitbucket.org/")
    if not branch or not address.startswith(known):
        return {}
    return {
        "source_repository": address,
        "source_branch": branch,
        "source_directory": "docs",
    }


def site_address(environ: Mapping[str, str]) -> str:
    """Return the address of the published site, with a trailing slash; empty if unknown."""
    address = environ.get("DOCS_ADDRESS") or environ.get("READTHEDOCS_CANONICAL_URL", "")
    return f"{address.rstrip('/')}/" if address else ""


def path_of(address: str) -> str:
    """Return the path of an absolute address: at least a slash."""
    return urlsplit(address).path or "/"


def commit_of(root: Path) -> str:
    """Return the commit of the working tree, shortened; empty without git."""
    command = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def shown_commit(app: Sphinx) -> str:
    """Return the commit that this build's pages name."""
    commit: str = vars(app)["shown_commit"]
    return commit


def show_commit(
    app: Sphinx, pagename: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Pass the commit to the page's template. As a setting, it would cause a full reread."""
    context["commit"] = shown_commit(app)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Look up the commit once, and pass it to each page."""
    vars(app)["shown_commit"] = commit_of(Path(app.confdir))
    app.connect("html-page-context", show_commit)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
