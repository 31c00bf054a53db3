# SPDX-License-Identifier: Apache-2.0
# Rows: R7, R8
"""The page that compares all public names shows what both installed packages have.

``UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_compared.py`` writes its table anew.
"""

import os
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("tomllib", reason="the site needs Python 3.11")

from _verify.compared import NAMES, Compared, as_text, read_compared

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
AGAIN = "UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_compared.py"
SHOWN = 30  # lines of what is not as recorded
VALUES = """
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>
using namespace tvm::ffi;
[[maybe_unused]] void Call(String text, const char* data, TVMFFIByteArray array, Any any,
                           Expected<int64_t> expected, Tensor tensor, TensorView view,
                           ObjectRef object) {
"""
ONLY_THERE = (
    "String a(array)",
    "Bytes b(array)",
    "(void)text.compare(array)",
    "(void)text.starts_with(data, 3)",
    "(void)text.ends_with(data, 3)",
    "(void)text.find(data, 0, 3)",
    "(void)any.same_as(object)",
    "(void)GetDataSize(tensor)",
    "(void)GetDataSize(view)",
    "Expected<double> e(expected)",
    'reflection::Metadata m{{String("a"), 1}}',
)


def calling(*calls: str) -> str:
    """A function that makes these calls."""
    return VALUES + "".join(f"  {call};\n" for call in calls) + "}\n"


@pytest.fixture(scope="module")
def found(pythons) -> dict:
    """What both packages have now; the file is written where that is asked for."""
    pytest.importorskip("clang.cindex", reason="nox -s environment installs libclang")
    from compared.tables import make_tables

    made = make_tables(pythons, ROOT)
    if os.environ.get("UPDATE_COMPARED"):
        (ROOT / NAMES).write_text(as_text(made))
    return made


def test_the_table_is_that_of_both_packages(found):
    """Each line of the file is what was found; a name that came, went or changed is told."""
    recorded = (ROOT / NAMES).read_text().splitlines()
    now = as_text(found).splitlines()
    gone, new = {*recorded} - {*now}, {*now} - {*recorded}
    lines = [f"- {line}" for line in recorded if line in gone]
    lines += [f"+ {line}" for line in now if line in new]
    assert recorded == now, "\n".join([f"Type: {AGAIN}", *lines[:SHOWN]])


def test_each_difference_has_a_reason(found):
    """A name that differs or is only there has a reason, and a reason has names."""
    compared = Compared(found["published"], found["tables"], read_compared(ROOT).reasons)
    assert compared.problems() == []


@pytest.mark.parametrize(
    ("table", "name", "kind"),
    [
        ("headers", "tvm/ffi/c_api.h", "header"),
        ("c", "TVMFFIFunctionCall", "function"),
        ("c", "TVMFFIAny", "type"),
        ("c", "TVMFFIAny::type_index", "member"),
        ("c", "kTVMFFIInt", "value"),
        ("macros", "TVM_FFI_DLL_EXPORT", "macro"),
        ("cpp", "tvm::ffi::Array", "type"),
        ("cpp", "tvm::ffi::Array::push_back", "member"),
        ("cpp", "tvm::ffi::Any::Any", "constructor"),
        ("cpp", "tvm::ffi::DLDataTypeToString", "function"),
        ("python", "tvm_ffi.load_module", "function"),
        ("python", "tvm_ffi.Tensor", "class"),
        ("python", "tvm_ffi.Tensor.shape", "attribute"),
        ("python", "tvm_ffi.container", "module"),
        ("globals", "ffi.MapSize", "function"),
        ("commands", "tvm-ffi-config --cxxflags", "option"),
        ("cmake", "tvm_ffi::header", "target"),
    ],
)
def test_both_packages_have(found, table, name, kind):
    """A name of each kind that libraries use, so that none of the readers loses a whole kind."""
    [row] = [row for row in found["tables"][table] if row["name"] == name]
    assert (row["kind"], row["state"]) == (kind, "same")


def compile_source(python: str, source: str) -> subprocess.CompletedProcess[str]:
    """Compile C++ code with the headers of an interpreter's package, without a library."""
    question = "import tvm_ffi.libinfo as l; print(l.find_include_path())"
    command = [python, "-c", question]
    include = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    line = ["g++", "-std=c++17", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"]
    return subprocess.run(line, input=source, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("headers", ["ours", "published"])
def test_calls_of_the_reasons_compile(pythons, headers):
    """What the reasons say that both packages take is taken by both."""
    done = compile_source(pythons[headers], (HERE / "compared" / "reasons.cc").read_text())
    assert done.returncode == 0, done.stderr


def test_calls_that_compile_only_there(pythons):
    """What the reasons say that this package does not take is taken by the published one only."""
    everything = compile_source(pythons["published"], calling(*ONLY_THERE))
    assert everything.returncode == 0, everything.stderr
    taken = [c for c in ONLY_THERE if compile_source(pythons["ours"], calling(c)).returncode == 0]
    assert taken == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("#include <tvm/ffi/no_such_header.h>", "No such file or directory"),
        (calling("NoSuchName()"), "was not declared"),
    ],
)
def test_a_missing_name_is_told_by_the_compiler(pythons, source, said):
    """The words that the page quotes."""
    done = compile_source(pythons["ours"], source)
    assert done.returncode != 0
    assert said in done.stderr


def test_a_string_of_a_null_pointer(pythons):
    """Only the published header refuses nullptr when the code is compiled."""
    refused = [compile_source(pythons[kind], calling("String x(nullptr)")) for kind in pythons]
    assert [done.returncode == 0 for done in refused] == [kind == "ours" for kind in pythons]
