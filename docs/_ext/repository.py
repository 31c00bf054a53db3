# SPDX-License-Identifier: Apache-2.0
"""What the machine that publishes the site says of the repository: its address, and the commit.

Nothing is guessed: a link that would be dead is not made, and a page then links to its own source.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def clone_address(environ: Mapping[str, str]) -> str:
    """What ``git clone`` takes; empty where that is not known."""
    if environ.get("READTHEDOCS_GIT_CLONE_URL"):
        return environ["READTHEDOCS_GIT_CLONE_URL"]
    if environ.get("GITHUB_REPOSITORY"):
        server = environ.get("GITHUB_SERVER_URL", "https://github.com")
        return f"{server}/{environ['GITHUB_REPOSITORY']}"
    return ""


def source_links(environ: Mapping[str, str]) -> dict[str, str]:
    """The theme's options that link a page to its file; none if its branch has no known address."""
    address = clone_address(environ).removesuffix(".git").rstrip("/")
    if environ.get("READTHEDOCS_GIT_CLONE_URL"):
        is_branch = environ.get("READTHEDOCS_VERSION_TYPE") == "branch"
        branch = environ.get("READTHEDOCS_GIT_IDENTIFIER", "") if is_branch else ""
    elif address:
        # A pull request's GITHUB_REF_NAME is no branch, and says so by GITHUB_HEAD_REF.
        is_branch = environ.get("GITHUB_REF_TYPE") == "branch" and not environ.get(
            "GITHUB_HEAD_REF"
        )
        branch = environ.get("GITHUB_REF_NAME", "") if is_branch else ""
    else:
        return {}
    # The theme knows the addresses of these hosts alone.
    known = ("https://github.com/", "https://gitlab.com/", "https://bitbucket.org/")
    if not branch or not address.startswith(known):
        return {}
    return {
        "source_repository": address,
        "source_branch": branch,
        "source_directory": "docs",
    }


def site_address(environ: Mapping[str, str]) -> str:
    """Where the site will be, with a slash at its end; empty where that is not known."""
    address = environ.get("DOCS_ADDRESS") or environ.get("READTHEDOCS_CANONICAL_URL", "")
    return f"{address.rstrip('/')}/" if address else ""


def path_of(address: str) -> str:
    """The path that a page named absolutely begins with: a slash at least."""
    return urlsplit(address).path or "/"


def commit_of(root: Path) -> str:
    """The commit in the working tree, shortened; empty without git."""
    command = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def shown_commit(app: Sphinx) -> str:
    """The commit that this build's pages name."""
    commit: str = vars(app)["shown_commit"]
    return commit


def show_commit(
    app: Sphinx, pagename: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Give the page's template the commit. As a setting, it would have all pages read again."""
    context["commit"] = shown_commit(app)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Ask once for the commit, and hand it to each page."""
    vars(app)["shown_commit"] = commit_of(Path(app.confdir))
    app.connect("html-page-context", show_commit)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
