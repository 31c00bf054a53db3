# SPDX-License-Identifier: Apache-2.0
"""All pages in the order of reading, as the tables of contents give it."""

from __future__ import annotations

from sphinx.environment import BuildEnvironment


def page_order(env: BuildEnvironment) -> list[str]:
    """The front page, then each page of its table of contents with those below it."""
    order: list[str] = []

    def add(name: str) -> None:
        if name in env.found_docs and name not in order:
            order.append(name)
            for below in env.toctree_includes.get(name, []):
                add(below)

    add(env.config.root_doc)
    return order
