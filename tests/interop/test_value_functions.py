# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Functions on values, which a library imports if it was built with the published headers.

They are inline in the headers of this project. A library built with either headers says the same
under both runtimes.
"""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
FROZEN = json.loads((HERE.parent / "abi" / "cpp-symbols-0.1.15.json").read_text())
KINDS = ("ours", "published")
TRUTHS = [*([True, False], [True, False], [True, False], [False, True], [True, False])]
JSON_TEXTS = ['[1,{"b":null}]', '[\n  1,\n  "two"\n]']


def run(*command: str) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module", params=KINDS)
def library(request, pythons, tmp_path_factory) -> Path:
    """The library, built with the headers of one of the packages."""
    path = tmp_path_factory.mktemp("values") / f"{request.param}.so"
    wanted = ("--cxxflags", "--ldflags", "--libs")
    flags = run(pythons[request.param], "-m", "tvm_ffi.config", *wanted)
    command = f"g++ -std=c++17 -O1 -shared -fPIC -w {HERE}/value_functions.cc -o {path} {flags}"
    run(*shlex.split(command))
    return path


@pytest.mark.parametrize("runtime", KINDS)
def test_functions_on_values(pythons, library, runtime):
    """Each function gives the same, by whichever headers and runtime."""
    told: dict[str, Any] = json.loads(
        run(pythons[runtime], str(HERE / "value_functions_probe.py"), str(library))
    )
    nested = [True, '(1, (2.5,), "x")', True, *TRUTHS, [True, False], False, 2, True, True]
    assert told["nested"] == [*nested, *JSON_TEXTS]
    text = "a" * 30
    longer = [True, f'("{text}",)', True, *TRUTHS, [True, False], False, 1, True, True]
    assert told["long text"] == [*longer, *JSON_TEXTS]
    message, kind, thrown = told["refused"]
    assert (kind, thrown) == ("ValueError", message)
    assert "line 1 column 4 (char 3)" in message


def test_imported_symbols(library):
    """Built with the published headers it imports what this runtime exports; else C functions."""
    table = run("nm", "-D", "--undefined-only", "--format=posix", str(library))
    imported = {line.split()[0] for line in table.splitlines() if "3tvm3ffi" in line}
    if library.stem == "ours":
        assert imported == set()
    else:
        # All that is exported but the classes of modules, and those of types and templates.
        assert {name for name in FROZEN["exported"] if "odule" not in name} <= imported
        assert imported & {*FROZEN["not_exported"].values()} == set()
