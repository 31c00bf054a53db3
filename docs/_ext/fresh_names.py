# SPDX-License-Identifier: Apache-2.0
"""Read all pages of the C++ reference again when one of them is: only the preview does so.

Sphinx declares an enumerator of an unscoped enum in the enum's scope too, unless a name stands
there; and a page that is read again leaves its names behind, without what they name. So a second
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
    """The pages to read again; of their names nothing is left."""
    if not any(page.startswith(REFERENCE) for page in [*changed, *removed]):
        return []
    env.domaindata["cpp"].update(copy.deepcopy(CPPDomain.initial_data))
    return [page for page in env.found_docs if page.startswith(REFERENCE)]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Decide with the other reasons to read a page again."""
    app.connect("env-get-outdated", outdated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
