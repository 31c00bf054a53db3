# SPDX-License-Identifier: Apache-2.0
# Rows: R1, R6
"""Code that the compiler must refuse, with the words that the page on errors shows."""

import os
import re
import shlex
import subprocess

import pytest
from _verify.package_flags import flags

FLAGS = "-std=c++17 -fsyntax-only"


def refusal(source):
    """Compile a source that must not compile, and give the compiler's errors."""
    command = f"g++ {FLAGS} {flags('--cxxflags')} {source.name}"
    done = subprocess.run(
        shlex.split(command),
        cwd=source.parent,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0, f"{source} compiled"
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    # Where a header says it is of no interest, and changes with each line above.
    return [re.sub(r"^\S*/(\w+\.h):\d+:\d+:", r"\1:", line) for line in errors]


def check(shows, captured, name, reason):
    """The refusal has the reason among its words, and stands in the file that the page shows."""
    errors = refusal(shows(f"tests/snippets/refused/{name}.cc", "tests/snippets/test_refused.py"))
    assert any(reason in line for line in errors), errors
    text = f"$ g++ {FLAGS} $(tvm-ffi-config --cxxflags) {name}.cc 2>&1 | grep error:\n"
    captured(f"tests/snippets/captured/refused/{name}.txt", text + "\n".join(errors))


REASONS = {
    "view_as_result": "the result's type cannot be returned: return an owner",
    "view_of_temporary": "use of deleted function",
    "owner_of_view": "could not convert",
    "raw_pointer": "a parameter's type cannot be passed; see TypeTraits",
    "reference_to_change": "a parameter is a value or a const reference",
    "type_without_dtype": "expected a type of a dtype",
    "device_in_namespace": "does not name a type",
}


@pytest.mark.parametrize("name", REASONS)
def test_refused(shows, captured, name):
    """The compiler says why."""
    check(shows, captured, name, REASONS[name])
