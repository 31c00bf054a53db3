# SPDX-License-Identifier: Apache-2.0
"""All pages in reading order, as given by the tables of contents."""

from __future__ import annotations

from sphinx.environment import BuildEnvironment


def page_order(env: BuildEnvironment) -> list[str]:
    """Return the front page, then each page in its table of contents followed by those below it."""
    order: list[str] = []

    def add(name: str) -> None:
        if name in env.found_docs and name not in order:
            order.append(name)
            for below in env.toctree_includes.get(name, []):
                add(below)

    add(env.config.root_doc)
    return order
