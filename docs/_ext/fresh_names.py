# SPDX-License-Identifier: Apache-2.0
"""Reread all pages of the C++ reference when one of them is reread, which only the preview does.

Sphinx also declares an enumerator of an unscoped enum in the enum's scope, unless the name exists
there; and a page that is reread leaves its names behind, without their targets. So a second
reading would lose those enumerators.
"""

from __future__ import annotations

import copy
from collections.abc import Collection

from sphinx.application import Sphinx
from sphinx.domains.cpp import CPPDomain
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

REFERENCE = "reference/cpp/"


def outdated(
    app: Sphinx,
    env: BuildEnvironment,
    added: Collection[str],
    changed: Collection[str],
    removed: Collection[str],
) -> list[str]:
    """Return the pages to reread, after removing all of their names."""
    if not any(page.startswith(REFERENCE) for page in [*changed, *removed]):
        return []
    env.domaindata["cpp"].update(copy.deepcopy(CPPDomain.initial_data))
    return [page for page in env.found_docs if page.startswith(REFERENCE)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Decide along with the other reasons to reread a page."""
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
