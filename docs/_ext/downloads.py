# SPDX-License-Identifier: Apache-2.0
"""The files that a page offers for download: one, or all in the archive of an example."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

from _verify.archives import archive_path, readme
from _verify.examples import find_examples
from _verify.layout import Layout
from _verify.machine_code_record import listing_path
from _verify.offered import offered_bytes, only_comments_left_out


def offered(target: str, page: str, layout: Layout) -> list[str]:
    """Return the repository's files behind a link on a page; they must be proved.

    The README of an archive, which the build itself creates, is left out.
    ValueError: an archive contains anything else.
    """
    folder = "docs" if target.startswith("/") else os.path.dirname(page)
    path = os.path.normpath(layout.root / folder / target.lstrip("/"))
    if Path(path).parent == listing_path(layout.build, "", "").parent:
        return []  # the disassembly written by nox -s machine_code
    for example in find_examples(layout):
        if path == str(archive_path(example.name, layout)):
            made = {f"{example.name}/README.txt": readme(example, layout).encode()}
            return packed_files(Path(path), made, layout)
    return [os.path.relpath(path, layout.root)]


def packed_files(archive: Path, made: dict[str, bytes], layout: Layout) -> list[str]:
    """Return the archived files by repository name; ValueError: one is not the repository's."""
    found = []
    with zipfile.ZipFile(archive) as packed:
        for name in packed.namelist():
            if packed.read(name) == made.get(name):
                continue
            file = layout.examples / name
            if not file.is_file() or offered_bytes(file) != packed.read(name):
                raise ValueError(f"{name} in it is not the repository's")
            if not only_comments_left_out(file):
                raise ValueError(f"{name} in it lacks a line that looks like a mark and is code")
            found.append(layout.relative(file))
    return found
