# SPDX-License-Identifier: Apache-2.0
"""Put the book beside the pages; the same commit produces the same bytes."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

from _verify.archives import LONG_AGO
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from .evidence_of_build import evidence_of


def date_by_commit(app: Sphinx) -> None:
    """Date the book like its commit, unless the environment says otherwise."""
    if app.builder.name == "epub":
        command = ["git", "-C", str(app.confdir), "log", "-1", "--format=%ct"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        os.environ.setdefault("SOURCE_DATE_EPOCH", done.stdout.strip() or "315532800")


def undated(book: Path, target: Path) -> None:
    """Copy a book without the dates of its parts, in the same order: its type must come first."""
    with zipfile.ZipFile(book) as parts, zipfile.ZipFile(target, "w") as copy:
        for part in parts.infolist():
            entry = zipfile.ZipInfo(part.filename, LONG_AGO)
            entry.compress_type, entry.create_system = part.compress_type, 3
            copy.writestr(entry, parts.read(part.filename))


def place(app: Sphinx, exception: Exception | None) -> None:
    """Put a successfully built book where the front page links to."""
    if exception is None and app.builder.name == "epub":
        name = f"{app.config.epub_basename}.epub"
        site = evidence_of(app.config).layout.build / "site"
        site.mkdir(parents=True, exist_ok=True)
        undated(Path(app.outdir) / name, site / name)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Date the book before it is built, and place it afterwards."""
    app.setup_extension("_ext.evidence_of_build")
    app.connect("builder-inited", date_by_commit, priority=100)
    app.connect("build-finished", place, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
