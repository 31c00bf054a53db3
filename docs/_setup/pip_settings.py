# SPDX-License-Identifier: Apache-2.0
"""Pip's settings on this machine, and the same for uv, which reads none of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys

LINE = re.compile(r"^(\S+?)\.([\w-]+)='(.*)'$", re.MULTILINE)
# Pip's options and uv's variables, with what separates several values.
UV = {
    "cert": ("SSL_CERT_FILE", " "),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "index-url": ("UV_DEFAULT_INDEX", " "),
    "no-index": ("UV_NO_INDEX", " "),
    "timeout": ("UV_HTTP_TIMEOUT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", " "),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}


def pip_settings(section: str = "") -> dict[str, str]:
    """The options of pip's configuration: of one section, or as pip install sees them all.

    Values are as pip takes them, several separated by spaces.
    """
    pip = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(pip, capture_output=True, text=True, check=False).stdout
    found = LINE.findall(listed)
    chosen = [section] if section else ["global", "install", ":env:"]  # the last one wins
    return {
        name: " ".join(value.replace(r"\n", " ").split())
        for each in chosen
        for part, name, value in found
        if part == each
    }


def uv_settings() -> dict[str, str]:
    """Variables that let uv look where pip looks. Those that are set already stay as they are."""
    variables = {
        UV[name][0]: UV[name][1].join(value.split())
        for name, value in pip_settings().items()
        if name in UV
    }
    # Pip takes a version from whichever index has it; uv by itself trusts the first one only.
    variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    return {name: value for name, value in variables.items() if name not in os.environ}
