# SPDX-License-Identifier: Apache-2.0
"""Create the archive of each example, and link to it where the example is shown."""

from __future__ import annotations

import os
from pathlib import Path

from _verify.archives import archive_path, write_archives
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of


def archive_link(name: str, env: BuildEnvironment) -> nodes.Node:
    """Return a link to the archive of an example."""
    path = archive_path(name, evidence_of(env.config).layout)
    page = Path(env.doc2path(env.docname)).parent
    return addnodes.download_reference(
        "",
        "",
        nodes.literal("", path.name, classes=["xref", "download"]),
        refdoc=env.docname,
        refdomain="",
        reftype="download",
        refexplicit=True,
        reftarget=Path(os.path.relpath(path, page)).as_posix(),
        refwarn=False,
    )


class ArchiveRole(SphinxRole):
    """The role ``archive``, which links to the archive of the named example."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Create the link."""
        return [archive_link(self.text, self.env)], []


def write(app: Sphinx) -> None:
    """Repack the examples."""
    write_archives(evidence_of(app.config).layout)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Pack before reading the pages, which link to the archives."""
    app.setup_extension("_ext.evidence_of_build")
    app.add_role("archive", ArchiveRole())
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
