# SPDX-License-Identifier: Apache-2.0
"""Translate this machine's pip settings for uv, which does not read them."""

from __future__ import annotations

import ast
import functools
import math
import os
import re
import subprocess
import sys

LINE = re.compile(r"^(\S+?)\.([\w-]+)=(.+)$", re.MULTILINE)
SECTIONS = ("global", "install", ":env:")  # the sections pip install reads; the last one wins
# Pip options and the corresponding uv variables.
UV = {
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "no-index": "UV_NO_INDEX",
    "proxy": "ALL_PROXY",
    "timeout": "UV_HTTP_TIMEOUT",
    "trusted-host": "UV_INSECURE_HOST",
}


@functools.cache
def pip_settings() -> dict[str, str]:
    """Return the options that pip install uses, with spaces between the values of an option.

    Without pip, for example if uv installed nox, return those set by pip's variables.
    """
    pip = [sys.executable, "-m", "pip", "config", "list"]
    done = subprocess.run(pip, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        found = [
            (part, name, ast.literal_eval(said)) for part, name, said in LINE.findall(done.stdout)
        ]
    else:
        given = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        found = [
            (":env:", name.removeprefix("PIP_").lower().replace("_", "-"), value)
            for name, value in given.items()
        ]
    return {
        name: " ".join(value.split())
        for each in SECTIONS
        for part, name, value in found
        if part == each and value.strip()
    }


def uv_settings() -> dict[str, str | None]:
    """Return variables that make uv look where pip looks. Variables already set are kept."""
    # Pip takes a version from any index that has it; uv by default trusts only the first.
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
    for name, value in pip_settings().items():
        if name in UV:
            variables[UV[name]] = value
    # Uv requires whole seconds, and commas between find-links locations.
    if "UV_HTTP_TIMEOUT" in variables:
        variables["UV_HTTP_TIMEOUT"] = str(math.ceil(float(variables["UV_HTTP_TIMEOUT"])))
    if "UV_FIND_LINKS" in variables:
        variables["UV_FIND_LINKS"] = ",".join(variables["UV_FIND_LINKS"].split())
    return {name: value for name, value in variables.items() if name not in os.environ}
