# SPDX-License-Identifier: Apache-2.0
"""Leave the marks of regions out of the files that pages offer, as out of the code that they show.

An archive has the files of the repository byte for byte.
"""

from __future__ import annotations

from pathlib import Path

from _verify.regions import without_markers
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

OF_A_PATCH = (" ", "+", "-")  # begins a line of a file that is patched, which has marks of its own


def offered_bytes(file: Path) -> bytes:
    """The contents of a file as its download has them; output of a run stays as it was captured."""
    data = file.read_bytes()
    if file.suffix == ".txt" and file.name != "CMakeLists.txt":
        return data
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data
    if file.suffix != ".patch":
        return without_markers(text).encode()
    lines = text.splitlines(True)
    kept = (line if line.startswith(OF_A_PATCH) else without_markers(line) for line in lines)
    return "".join(kept).encode()


def write_offered(app: Sphinx, exception: Exception | None) -> None:
    """Write each download again after Sphinx has copied its file."""
    if exception is not None or app.builder.name != "html":
        return
    for source, (_, name) in app.env.dlfiles.items():
        target = Path(app.outdir) / "_downloads" / name
        data = offered_bytes(Path(app.srcdir) / source)
        if target.read_bytes() != data:
            target.write_bytes(data)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Do it when the site is there."""
    app.connect("build-finished", write_offered)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
