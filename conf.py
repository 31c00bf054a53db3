# SPDX-License-Identifier: Apache-2.0
"""Sphinx configuration: ``sphinx-build -j 2 -W -n -c . docs build/site``."""

import gc
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "docs"))

from _ext.repository import site_address, source_links  # noqa: E402  (in the folder added above)

# A build holds the trees of all names and pages; the default collector walks them over and over,
# which takes a sixth of the build time.
gc.set_threshold(100_000, 20, 100)

project = "TVM FFI kernel library"
author = "the TVM FFI kernel library authors"
copyright = author
PACKAGE = (ROOT / "python" / "tvm_ffi" / "__init__.py").read_text()
(version,) = re.findall(r'^__version__ = "(.+?)"', PACKAGE, re.MULTILINE)
release = version
html_title = f"{project} {version}"

extensions = [
    "breathe",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_tabs.tabs",
    "_ext.archives",
    "_ext.benchmark",
    "_ext.captures",
    "_ext.clone_address",
    "_ext.compared",
    "_ext.complete_reference",
    "_ext.device_line",
    "_ext.differences",
    "_ext.doctest_state",
    "_ext.doxygen",
    "_ext.epub",
    "_ext.flow",
    "_ext.frameworks",
    "_ext.fresh_names",
    "_ext.front_figures",
    "_ext.gallery",
    "_ext.generated",
    "_ext.header_reference",
    "_ext.interop",
    "_ext.keyboard",
    "_ext.linked_names",
    "_ext.machine_code",
    "_ext.made_of",
    "_ext.markdown",
    "_ext.memory_layout",
    "_ext.not_found",
    "_ext.only_here",
    "_ext.outside_links",
    "_ext.outside_names",
    "_ext.receipt_pages",
    "_ext.redirects",
    "_ext.repository",
    "_ext.rows",
    "_ext.runtimes",
    "_ext.search_words",
    "_ext.snippet_gate",
    "_ext.snippet_include",
    "_ext.tabs",
    "_ext.trials",
    "_ext.try_errors",
    "_ext.verification",
    "_ext.versions",
    "_ext.without_marks",
]
exclude_patterns = ["_*", "_*/**", "verification/**"]

# Names: every reference must resolve, or the build fails.
nitpicky = True
default_role = None
nitpick_ignore_regex = [
    ("cpp:.*", r"(u?int(8|16|32|64|ptr)?|size|ptrdiff)_t"),
    ("cpp:.*", r"std(::.*)?"),
    ("cpp:.*", r"cuda[A-Z]\w+"),
    ("cpp:.*", r"(__hip|__nv|hip)_\w+|__half"),
    # The namespaces themselves have no page.
    ("cpp:.*", r"(::)?tvm(::ffi(::(reflection|storage|cuda_api|json|symbol|type_attr))?)?"),
    ("cpp:.*", r"cuda_api|json|reflection"),
    ("cpp:.*", r"(\w+::)*detail(::.*)?"),  # appears in signatures, but is not public
    ("cpp:.*", r"\w+::@\d+"),  # an anonymous union
    # Template parameters in their own constraints, and a type inherited by a class.
    ("cpp:identifier", r"Iter|Args|iterator|TObjRef(::\w+)?"),
    # A base class that defines how an object type converts.
    ("cpp:identifier", r"tvm::ffi::ObjectRefTraits<.*"),
    # A type variable: the result has the type of the argument.
    ("py:class", r"tvm_ffi\.dataclasses\.\w+\._T"),
    ("py:class", r"_T|tvm_ffi\.dataclasses\.enum\._Self"),
]
intersphinx_disabled_reftypes = ["std:*"]

# Python and C++ reference.
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
breathe_projects = {"tvm_ffi": str(ROOT / "build" / "doxygen" / "xml")}
breathe_default_project = "tvm_ffi"
breathe_domain_by_extension = {"h": "cpp"}
breathe_show_include = False
reference_modules = [  # the pages must describe every public name, or the build fails
    "tvm_ffi",
    "tvm_ffi.access_path",
    "tvm_ffi.config",
    "tvm_ffi.core",
    "tvm_ffi.cpp",
    "tvm_ffi.dataclasses",
    "tvm_ffi.dtypes",
    "tvm_ffi.error",
    "tvm_ffi.libinfo",
    "tvm_ffi.module",
    "tvm_ffi.registry",
    "tvm_ffi.serialization",
    "tvm_ffi.storage",
    "tvm_ffi.stream",
    "tvm_ffi.structural",
    "tvm_ffi.utils",
    "tvm_ffi.utils.kwargs_wrapper",
]

# Pages.
# Reference names that have another meaning in prose: the package, and dtypes of frameworks.
# "add_one" is both an example in the guide and a function in tvm_ffi.testing.
plain_names = ["tvm_ffi", "float8_e4m3fn", "float8_e5m2", "add_one"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
sphinx_tabs_disable_tab_closing = True
# Copying a session copies only the typed input; only sessions have prompts.
copybutton_prompt_text = r">>> |\.\.\.(?: |$)|\$ "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False
templates_path = ["docs/_templates"]
html_theme = "furo"
html_theme_options = source_links(os.environ)
html_baseurl = site_address(os.environ)
html_favicon = "docs/_static/icon.svg"
html_static_path = ["docs/_static"]
html_css_files = ["site.css", "figures.css"]
html_show_sphinx = False
html_show_copyright = False
pygments_style = "xcode"
pygments_dark_style = "github-dark"

# The book.
epub_title = html_title
epub_basename = "tvm-ffi-kernel-library"
epub_identifier = epub_uid = epub_basename
epub_show_urls = "no"
epub_css_files = ["figures.css", "book.css"]
