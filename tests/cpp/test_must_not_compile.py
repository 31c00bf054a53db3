# SPDX-License-Identifier: Apache-2.0
# Rows: R6, R7
"""Code that must be refused by the compiler, with a message that says why."""

import shlex
import subprocess

import pytest
from tvm_ffi import config

BEGIN = """
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/tvm_ffi.h>
namespace ffi = tvm::ffi;
struct Unknown {};
struct Plain { int x; };
"""

# What is written, and the compiler's message; the first is fine, so that the rest mean something.
FINE = "TVM_FFI_DLL_EXPORT_TYPED_FUNC(f, [](ffi::TensorView x, const ffi::Shape&) { return 1; });"
PARAMETER = "a parameter's type cannot be passed; see TypeTraits"
RESULT = "the result's type cannot be returned: return an owner, such as Tensor or String"
REFUSED = {
    "parameter_of_unknown_type": ("[](Unknown) {}", PARAMETER),
    "optional_of_unknown_type": ("[](ffi::Optional<Unknown>) {}", PARAMETER),
    "parameter_of_pointer_type": ("[](float*) {}", PARAMETER),
    "parameter_of_lent_text": ("[](const char*) {}", PARAMETER),
    "reference_parameter": ("[](ffi::Shape&) {}", "a parameter is a value or a const reference"),
    "result_of_unknown_type": ("[] { return Unknown(); }", RESULT),
    "result_that_lends_a_tensor": ("[](ffi::TensorView x) { return x; }", RESULT),
    "result_that_lends_a_dltensor": ("[](DLTensor* x) { return x; }", RESULT),
    "optional_result_that_lends_a_tensor": (
        "[](ffi::TensorView x) { return ffi::Optional<ffi::TensorView>(x); }",
        RESULT,
    ),
    "result_that_lends_a_value": ("[](ffi::AnyView x) { return x; }", RESULT),
    "generic_lambda": (
        "[](auto) {}",
        "expected a function, or an object with one operator() that is not a template",
    ),
}
REFUSED = {
    name: (f"TVM_FFI_DLL_EXPORT_TYPED_FUNC(f, {function});", message)
    for name, (function, message) in REFUSED.items()
} | {
    "object_of_another_root": (
        "auto p = ffi::make_object<Plain>();",
        "make_object makes types derived from Object",
    ),
    "owner_made_of_a_view": (
        "ffi::Tensor own(ffi::TensorView x) { return x; }",
        "could not convert",
    ),
    "view_of_a_temporary": (
        "ffi::Tensor make(); ffi::TensorView view = make();",
        "use of deleted function",
    ),
    "function_of_a_view_called_with_a_temporary": (
        "ffi::Tensor make(); void take(ffi::TensorView); void f() { take(make()); }",
        "use of deleted function",
    ),
    "lent_tensor_taken_from_the_store": (
        'auto f() { return ffi::storage::Get<ffi::TensorView>("key"); }',
        "expected a type that owns its value, such as Tensor",
    ),
    "view_kept_as_an_owned_value": (
        "ffi::Any own(DLTensor* x) { return ffi::Any(x); }",
        "use of deleted function",
    ),
    "export_under_a_reserved_name": (
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(_f, [] {});",
        "expected a name that does not begin with an underscore",
    ),
    "unsafe_pointer_between_object_types": (
        "ffi::ObjectPtr<ffi::ShapeObj> f(ffi::ObjectPtr<ffi::Object> x) { return x; }",
        "could not convert",
    ),
}


def compile_text(text: str) -> subprocess.CompletedProcess:
    """Compile a text without making a file."""
    command = shlex.split(f"g++ {config.cxxflags()} -Wall -Wextra -fsyntax-only -x c++ -")
    return subprocess.run(command, input=BEGIN + text, capture_output=True, text=True, check=False)


def test_fine_code_compiles():
    """What surrounds the refused code is not what is refused."""
    built = compile_text(FINE)
    assert built.returncode == 0, built.stderr


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    """The compiler refuses, and among its words is our reason."""
    text, message = REFUSED[name]
    built = compile_text(text)
    assert built.returncode != 0
    assert message in built.stderr
