# SPDX-License-Identifier: Apache-2.0
"""Let the keyboard scroll what is too wide for the window; set the level of side headings."""

from __future__ import annotations

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

AFTER_THE_THEME = 900  # the theme creates the navigation in the same event

# Code and tables scroll inside their own boxes, which the keyboard reaches only if focusable.
# A heading that is not an HTML heading element must state its level.
CHANGES = {
    '<div class="highlight"><pre': '<div class="highlight"><pre tabindex="0"',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    'role="heading">': 'role="heading" aria-level="2">',
}
PARTS = ("body", "furo_navigation_tree")


def change(
    app: Sphinx, page: str, template: str, context: dict[str, object], doctree: object
) -> None:
    """Change the parts of a page that contain such elements."""
    for part in PARTS:
        text = context.get(part)
        if isinstance(text, str):
            for old, new in CHANGES.items():
                text = text.replace(old, new)
            context[part] = text


def setup(app: Sphinx) -> ExtensionMetadata:
    """Process the finished HTML of each page."""
    app.connect("html-page-context", change, priority=AFTER_THE_THEME)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
