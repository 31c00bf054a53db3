# SPDX-License-Identifier: Apache-2.0
"""The toy's Sphinx configuration: the real extensions, a plain theme."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [os.environ["EXTENSIONS_FOLDER"], str(ROOT / "python")]

project = "toy"
extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_tabs.tabs",
    "_ext.device_line",
    "_ext.differences",
    "_ext.doctest_state",
    "_ext.doxygen",
    "_ext.generated",
    "_ext.header_reference",
    "_ext.made_of",
    "_ext.only_here",
    "_ext.receipt_pages",
    "_ext.snippet_gate",
    "_ext.snippet_include",
    "_ext.verification",
    "_ext.without_marks",
]
templates_path = [os.path.join(os.environ["EXTENSIONS_FOLDER"], "_templates")]
html_theme = "basic"
exclude_patterns = ["verification/*"]
breathe_projects = {"toy": str(ROOT / "build" / "doxygen" / "xml")}
breathe_default_project = "toy"
nitpick_ignore_regex = [("cpp:.*", "toy")]  # the namespace has no page
