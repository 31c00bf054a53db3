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
from compared.compare import row_of
from compared.declarations import Reader
from compared.names import Name
from compared.tables import make_tables

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
AGAIN = "UPDATE_COMPARED=1 nox -s interop -- tests/interop/test_compared.py"
SHOWN = 30  # lines of what is not as recorded
VALUES = """
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>
using namespace tvm::ffi;
[[maybe_unused]] void Call(String text) {
"""
ONLY_THERE = (
    "(void)TypeToRuntimeTypeIndex<Shape>::v()",
    "(void)Concat(Array<int64_t>{1}, Array<int64_t>{2})",
    "(void)StaticTypeKey::kTVMFFIInt",
)


def calling(*calls: str) -> str:
    """A function that makes these calls."""
    return VALUES + "".join(f"  {call};\n" for call in calls) + "}\n"


@pytest.fixture(scope="module")
def found(pythons) -> dict:
    """What both packages have now; the file is written where that is asked for."""
    made = make_tables(pythons, ROOT)
    if os.environ.get("UPDATE_COMPARED"):
        (ROOT / NAMES).write_text(as_text(made))
    return made


def test_the_table_is_that_of_both_packages(found):
    """Each line of the file matches what was found; the message lists each name that changed."""
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


TOY = """
#ifndef TVM_TOY_H_
#define TVM_TOY_H_
#include <cuda_runtime.h>
#include <cstdint>
#include <optional>
#define TOY_CALL(a, ...) a
#define TOY_SIZE (3)
#define TOY_DETAIL_ 1
namespace toy {
namespace details { struct Hidden {}; }
enum Paint { kRed = 2 };
enum class Size { kBig };
template <typename U> struct Base {
  void keep(U value);
  int hidden;
 private:
  int own;
};
template <typename T, typename = void> struct Box : Base<T>, std::optional<T> {
  Box(const T& value);
  Box(const Box&);
  ~Box();
  template <typename A> int open(A&& a, const Box<T>& box) const { return not_even_read; }
  struct { int hidden; };
  friend bool operator==(const Box&, const Box&) { return true; }
};
void launch(cudaStream_t stream, int32_t count = 1);
}
extern "C" int toy_call(const char* text, ...);
#endif
"""


def test_names_of_a_toy_header(tmp_path):
    """Public names, those of bases too, with signatures in which a parameter has no name."""
    (tmp_path / "tvm").mkdir()
    (tmp_path / "tvm" / "toy.h").write_text(TOY)
    reader = Reader(tmp_path)
    macros = {name: each.signatures for name, each in reader.macros.items()}
    assert macros == {"TOY_CALL": {"2 or more arguments"}, "TOY_SIZE": {"without arguments"}}
    found = {name: (each.kind, sorted(each.signatures)) for name, each in reader.cpp.items()}
    assert found == {
        "toy::Paint": ("type", []),
        "toy::kRed": ("value", ["2"]),
        "toy::Size": ("type", []),
        "toy::Size::kBig": ("value", ["0"]),
        "toy::Base": ("type", ["template of 1"]),
        "toy::Base::keep": ("member", ["(C1)"]),
        "toy::Base::hidden": ("member", ["int"]),
        "toy::Box": ("type", ["template of 1"]),
        "toy::Box::Box": ("constructor", ["(C1)"]),
        "toy::Box::open": ("member", ["(T1, Box<C1>) const"]),
        "toy::Box::hidden": ("member", ["int"]),
        "toy::Box::operator==": ("member", ["(Box<C1>, Box<C1>)"]),
        "toy::Box::keep": ("member", ["(C1)"]),
        "toy::launch": ("function", ["(cudaStream_t, int)"]),
        "toy_call": ("function", ["(const char*, ...)"]),
    }
    assert "toy::Box::has_value" in reader.inherited


def test_headers_that_do_not_parse_are_refused(tmp_path):
    """Names would be missing: the message has the compiler's words."""
    (tmp_path / "tvm").mkdir()
    (tmp_path / "tvm" / "toy.h").write_text("cudaNoSuchType make();\n")
    with pytest.raises(ValueError, match="unknown type name 'cudaNoSuchType'"):
        Reader(tmp_path)


@pytest.mark.parametrize(
    ("there", "here", "state"),
    [
        (Name("type", "a.h"), None, "only there"),
        (None, Name("type", "a.h"), "only here"),
        (Name("type", "a.h"), Name("type", "b.h"), "same"),
        (Name("type", "a.h"), Name("function", "a.h"), "differs"),
        (Name("member", "a.h", {"()"}), Name("member", "a.h", {"(int)"}), "differs"),
        (Name("member", "a.h", {"()"}), Name("member", "a.h"), "same"),  # it is not known
        (Name("member", "a.h", {"()", "() const"}), Name("member", "a.h", {"() const"}), "same"),
        (Name("member", "a.h", {"()"}), Name("member", "a.h", {"() const"}), "differs"),
    ],
)
def test_state_of_a_name(there, here, state):
    """Kinds and signatures count, the header does not."""
    assert row_of("x", there, here)["state"] == state


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


@pytest.mark.parametrize(("name", "refused"), [("String", [True, True]), ("Bytes", [True, False])])
def test_a_text_of_a_null_pointer(pythons, name, refused):
    """When the code is compiled, both refuse a String of it, and Bytes only this package."""
    done = [compile_source(pythons[k], calling(f"{name} x(nullptr)")) for k in pythons]
    assert [*pythons] == ["ours", "published"]
    assert [each.returncode != 0 for each in done] == refused
