# SPDX-License-Identifier: Apache-2.0
"""Remove region markers from the files that pages offer, as from the code that they show.

Sphinx copies the files with markers. Archives are packed without; see _verify/archives.py.
"""

from __future__ import annotations

from pathlib import Path

from _verify.offered import offered_bytes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def write_offered(app: Sphinx, exception: Exception | None) -> None:
    """Rewrite each download after Sphinx has copied its file."""
    if exception is not None or app.builder.name != "html":
        return
    for source, (_, name) in app.env.dlfiles.items():
        target = Path(app.outdir) / "_downloads" / name
        data = offered_bytes(Path(app.srcdir) / source)
        if target.read_bytes() != data:
            target.write_bytes(data)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Rewrite the downloads when the build has finished."""
    app.connect("build-finished", write_offered)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
