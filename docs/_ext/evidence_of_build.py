# SPDX-License-Identifier: Apache-2.0
"""The receipts that a Sphinx build uses, read once per build."""

from __future__ import annotations

import functools
from pathlib import Path

from _verify.evidence import Evidence
from _verify.layout import Layout
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util.typing import ExtensionMetadata

from .node_origin import header_lines, repository_file


@functools.cache
def load(root: str, build: str) -> Evidence:
    """Read the receipts, once."""
    return Evidence.load(Layout.of(Path(root), Path(build)))


def evidence_of(config: Config) -> Evidence:
    """Return the evidence of this build."""
    return load(config.verify_root, config.verify_build)


def name_root(app: Sphinx, config: Config) -> None:
    """Set the project's root to the folder of conf.py."""
    config.verify_root = str(app.confdir)


def forget(app: Sphinx) -> None:
    """Start with the current receipts, and no lists until this build has written them."""
    load.cache_clear()
    header_lines.cache_clear()
    repository_file.cache_clear()
    layout = evidence_of(app.config).layout
    layout.snippets.unlink(missing_ok=True)
    layout.unverified.unlink(missing_ok=True)
    layout.partial.unlink(missing_ok=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the settings: the project's root, and the build folder below it."""
    app.add_config_value("verify_root", "", "", types=frozenset({str}))
    app.add_config_value("verify_build", "build", "", types=frozenset({str}))
    app.connect("config-inited", name_root)
    app.connect("builder-inited", forget)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
