# SPDX-License-Identifier: Apache-2.0
# Rows: R5, R6, R8
"""Sources in the manner of libraries written for the published package, built with both."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from both_headers import build_with_both, run

# Each relies on what a header brings along, or on how a macro may be written.
SOURCES = {
    "exports without semicolons": """
        #include <tvm/ffi/tvm_ffi.h>
        static int Two(int x) { return x + 2; }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(two, Two)
        TVM_FFI_DLL_EXPORT_TYPED_FUNC_DOC(two, "x + 2")
        static int One(int x) { return x + 1; }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, One)
    """,
    "a text straight after a comparison": """
        #include <tvm/ffi/tvm_ffi.h>
        int Check(int x) {
          TVM_FFI_ICHECK_GT(x, 0) "expected a positive number";
          return x + 1;
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "tensor.h brings arrays, optionals and strings": """
        #include <tvm/ffi/container/tensor.h>
        #include <tvm/ffi/function.h>
        using namespace tvm::ffi;
        int64_t Check(int64_t x) {
          Array<int64_t> numbers{x, 1};
          Optional<String> text = String("one");
          return numbers[0] + numbers[1] + (text.has_value() ? 0 : 1);
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "an array deduces its elements from a vector": """
        #include <tvm/ffi/container/array.h>
        #include <tvm/ffi/function.h>
        #include <vector>
        using tvm::ffi::Array;
        int64_t Check(int64_t x) {
          const std::vector<int64_t> numbers{x, 1};
          auto array = Array(numbers);
          return array[0] + array[1];
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "a view of an array's tensor": """
        #include <tvm/ffi/container/array.h>
        #include <tvm/ffi/container/tensor.h>
        #include <tvm/ffi/function.h>
        using namespace tvm::ffi;
        int64_t Dimensions(TensorView view) { return view.dim(); }
        int64_t Sum(Array<Tensor> tensors) { return Dimensions(tensors[0]); }
        int64_t Check(int64_t x) { return x + 1; }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum, Sum);
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "tvm_ffi.h registers functions and types": """
        #include <tvm/ffi/tvm_ffi.h>
        namespace ffi = tvm::ffi;
        namespace refl = tvm::ffi::reflection;
        struct CounterObj : public ffi::Object {
          int64_t count;
          explicit CounterObj(int64_t count) : count(count) {}
          TVM_FFI_DECLARE_OBJECT_INFO_FINAL("written.Counter", CounterObj, ffi::Object);
        };
        TVM_FFI_STATIC_INIT_BLOCK() {
          refl::ObjectDef<CounterObj>().def(refl::init<int64_t>()).def_ro("n", &CounterObj::count);
          refl::GlobalDef().def("written.next", [](int64_t x) { return x + 1; });
        }
        int64_t Check(int64_t x) {
          return ffi::Function::GetGlobalRequired("written.next")(x).cast<int64_t>();
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "a method above the macro that defines get()": """
        #include <tvm/ffi/tvm_ffi.h>
        namespace ffi = tvm::ffi;
        struct NumberObj : public ffi::Object {
          int64_t number = 0;
          TVM_FFI_DECLARE_OBJECT_INFO_FINAL("written.Number", NumberObj, ffi::Object);
        };
        struct Number : public ffi::ObjectRef {
          int64_t next() const { return get()->number + 1; }
          TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Number, ffi::ObjectRef, NumberObj);
        };
        int64_t Check(int64_t x) {
          ffi::ObjectPtr<NumberObj> made = ffi::make_object<NumberObj>();
          made->number = x;
          return Number(made).next();
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
    "a handle that is never null, with its own constructor": """
        #include <tvm/ffi/tvm_ffi.h>
        namespace ffi = tvm::ffi;
        struct NumberObj : public ffi::Object {
          int64_t number = 0;
          TVM_FFI_DECLARE_OBJECT_INFO_FINAL("written.OwnNumber", NumberObj, ffi::Object);
        };
        struct Number : public ffi::ObjectRef {
          explicit Number(ffi::ObjectPtr<NumberObj> data) : ObjectRef(data) {}
          TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Number, ffi::ObjectRef, NumberObj);
        };
        Number Next(Number x) {
          ffi::ObjectPtr<NumberObj> made = ffi::make_object<NumberObj>();
          made->number = x->number + 1;
          return Number(made);
        }
        int64_t Check(int64_t x) {
          ffi::ObjectPtr<NumberObj> made = ffi::make_object<NumberObj>();
          made->number = x;
          return ffi::Function::FromTyped(Next)(Number(made)).cast<Number>()->number;
        }
        TVM_FFI_DLL_EXPORT_TYPED_FUNC(check, Check);
    """,
}


CALL = "import sys, tvm_ffi; print(tvm_ffi.load_module(sys.argv[1]).check(41))"


@pytest.mark.parametrize("what", SOURCES)
def test_builds_and_runs(what: str, pythons: Mapping[str, str], tmp_path: Path) -> None:
    """The source builds with the headers of both packages and runs under both runtimes."""
    source = tmp_path / "source.cc"
    source.write_text(SOURCES[what])
    for path in build_with_both(source, pythons, tmp_path).values():
        said = [run([python, "-c", CALL, str(path)]) for python in pythons.values()]
        assert said == ["42\n", "42\n"]
