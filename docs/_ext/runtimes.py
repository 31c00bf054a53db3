# SPDX-License-Identifier: Apache-2.0
"""The directive ``runtimes``: an example's label, as found by ``nox -s interop``, and archive."""

from __future__ import annotations

from pathlib import Path

from _verify.layout import Layout
from _verify.runtimes_record import label_of, record_of
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from .archives import archive_link

BOTH = (
    "A copy of the folder was built with this project's headers and with those of the published "
    "package; each CPU library passed the example's own checks under either runtime, and the CUDA "
    "source compiles with the headers of both."
)
ONLY_HERE = "It was tried under the published one, and failed there as it should."


class Runtimes(SphinxDirective):
    """Shows whether an example works under both runtimes or only this one, and its archive."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Create the label, or name the session that does."""
        name = self.arguments[0]
        root = Path(self.config.verify_root)
        if not (Layout.of(root).examples / name).is_dir():
            raise self.error(f"runtimes: expected the name of an example, got {name!r}")
        found = (record_of(root, root / self.config.verify_build) or {}).get(name)
        if found is None:
            label, more = "Runtimes:", "not tried on this tree; nox -s interop does it."
        else:
            label = label_of(found)
            more = ONLY_HERE if found["only here"] else BOTH
            more = "" if found["wrong"] else more
        text = [nodes.strong("", label), nodes.Text(f" {more}")]
        parts = [
            nodes.strong("", "Download:"),
            nodes.Text(" "),
            archive_link(name, self.env),
            nodes.Text(", the example's folder with the header that it includes and the commands"),
            nodes.Text(" that build and run it."),
        ]
        return [
            nodes.paragraph("", "", *text, classes=["runtimes"]),
            nodes.paragraph("", "", *parts, classes=["archive"]),
        ]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the directive."""
    app.setup_extension("_ext.archives")
    app.add_directive("runtimes", Runtimes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
