# SPDX-License-Identifier: Apache-2.0
"""Show under each piece of code what was verified on which device, from this build's evidence."""

from __future__ import annotations

import os
from collections import Counter

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of
from .node_origin import origin_of
from .receipt_pages import linked
from .snippet_gate import Places, judge


def add_states(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add a state line under each doctest; fill in the existing line of an included file."""
    evidence = evidence_of(app.config)
    for place in doctree.findall(lambda found: "state_of" in getattr(found, "attributes", ())):
        path, region = place["state_of"]
        unproved = evidence.why_not(path, region) and not evidence.of(path)
        reasons = evidence.not_run_here(path) if unproved else ""
        state = f"not run here: {reasons}" if reasons else evidence.state(path, region)
        file = "" if reasons or not state else path
        place += linked(app, docname, state or "not verified", file, region)
    page = os.path.relpath(app.env.doc2path(docname), evidence.layout.root)
    kinds = (nodes.literal_block, nodes.doctest_block)
    places: Places = Counter()
    for node in list(doctree.findall(lambda found: isinstance(found, kinds))):
        if "snippet" in node.attributes:
            continue
        found = judge(node, origin_of(node, page, evidence.layout), evidence, places)
        if found and found.state:
            label = nodes.inline("", f"{found.shows} ", classes=["snippet-folder"])
            state = linked(app, docname, found.state, found.file, found.region)
            what = nodes.inline("", "", state, classes=["snippet-verified"])
            line = nodes.paragraph("", "", label, what, classes=["snippet"])
            node.parent.insert(node.parent.index(node) + 1, line)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Add the lines when a page is written: its doctests were judged after all were read."""
    app.setup_extension("_ext.evidence_of_build")
    app.connect("doctree-resolved", add_states)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
