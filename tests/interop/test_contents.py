# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R7
"""Values by what they contain: one table under both runtimes, and texts of either in the other.

The table is tests/python/content_cases.py; its types are built with the headers of each package.
"""

import shlex
import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[1] / "python"
FLAGS = "-std=c++17 -shared -fPIC"
PACKAGES = ("ours", "published")

# Writes a text, or reads one and writes it again.
EXCHANGE = """
import sys
import tvm_ffi
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str
tvm_ffi.load_module(sys.argv[1])
make = lambda name, *values: tvm_ffi.get_global_func(f"contents.{name}")(*values)
if len(sys.argv) == 3:
    value = from_json_graph_str(sys.argv[2])
else:
    shared = tvm_ffi.List([1, 2.5, None, True, "\\u00e9", b"b", 1 << 70, float("inf")])
    fields = make("Fields")
    fields.any = tvm_ffi.Dict({"d": tvm_ffi.device("cuda", 1), 2: tvm_ffi.dtype("int8")})
    tree = make("Tree", fields, {1: tvm_ffi.Shape((1, 2))})
    value = [shared, shared, fields, tree, make("Text", 2)]
print(to_json_graph_str(value, {"version": "x"}))
print(tvm_ffi.get_global_func("ffi.ReprPrint")(value))
"""


@pytest.fixture(scope="module")
def libraries(pythons, tmp_path_factory) -> dict[str, Path]:
    """The types, built with the headers of each package."""
    built = {}
    for who, python in pythons.items():
        library = tmp_path_factory.mktemp(f"contents_{who}") / "contents.so"
        config = Path(python).with_name("tvm-ffi-config")
        cxxflags, ldflags = (run([str(config), f"--{flag}"]) for flag in ("cxxflags", "ldflags"))
        source = SOURCES / "contents.cc"
        run(shlex.split(f"g++ {FLAGS} {cxxflags} {source} -o {library} {ldflags} -ltvm_ffi"))
        built[who] = library
    return built


def run(command: list[str]) -> str:
    """Run a command and give what it prints; a failure shows its words."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("runtime", PACKAGES)
@pytest.mark.parametrize("headers", PACKAGES)
def test_the_same_table(pythons, libraries, headers, runtime):
    """All cases pass, whichever package has the headers and which the runtime."""
    cases = SOURCES / "content_cases.py"
    printed = run([pythons[runtime], str(cases), str(libraries[headers])])
    assert printed == "17 of 17 cases passed"


@pytest.mark.parametrize("reader", PACKAGES)
@pytest.mark.parametrize("writer", PACKAGES)
def test_texts_are_exchanged(pythons, libraries, writer, reader):
    """A text that one package wrote makes the same value in the other, which writes the same."""
    library = str(libraries["ours"])
    written = run([pythons[writer], "-c", EXCHANGE, library])
    text = written.splitlines()[0]
    assert run([pythons[reader], "-c", EXCHANGE, library, text]) == written


KEYS = """
import sys
import tvm_ffi
from tvm_ffi.serialization import from_json_graph_str, to_json_graph_str
key = tvm_ffi.StructuralKey([1, "a"])
if len(sys.argv) == 1:
    print(to_json_graph_str(tvm_ffi.Map({key: "found"})))
else:
    value = from_json_graph_str(sys.argv[1])
    [read] = value
    print(tvm_ffi.structural_equal(read.key, key.key), value.get(key), read == key)
"""


@pytest.mark.parametrize("reader", PACKAGES)
@pytest.mark.parametrize("writer", PACKAGES)
def test_structural_keys_are_exchanged(pythons, writer, reader):
    """Both read them; ours finds them again, although the two packages hash differently."""
    text = run([pythons[writer], "-c", KEYS])
    is_found = reader in ("ours", writer)
    expected = "True found True" if is_found else "True None False"
    assert run([pythons[reader], "-c", KEYS, text]) == expected
