// SPDX-License-Identifier: Apache-2.0
// Rows: R6, R7
// Deleters passed to the C ABI by callers: one that throws is reported, and does no harm.
#include <tvm/ffi/tvm_ffi.h>

#include <stdexcept>

#include "captured_stderr.h"
#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

int Nothing(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; }
void ThrowError(void*) { TVM_FFI_THROW(ValueError) << "cannot free"; }
void ThrowStandard(void*) { throw std::runtime_error("cannot close"); }
void ThrowNumber(void*) { throw 3; }

}  // namespace

// A function's deleter may fail in any way; the caller that drops the last reference continues.
void deleter_of_a_function() {
  struct Case {
    void (*deleter)(void*);
    const char* text;
  };
  for (Case c :
       {Case{ThrowError, "TVMFFIFunctionCreate.deleter: ignored: ValueError: cannot free\n"},
        Case{ThrowStandard, "TVMFFIFunctionCreate.deleter: ignored: cannot close\n"},
        Case{ThrowNumber,
             "TVMFFIFunctionCreate.deleter: ignored: an exception that is not a "
             "std::exception\n"}}) {
    TVMFFIObjectHandle function = nullptr;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(nullptr, Nothing, c.deleter, &function));
    int code = 7;
    EXPECT_EQ(StderrOf([&] { code = TVMFFIObjectDecRef(function); }), std::string(c.text));
    EXPECT_EQ(code, 0);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_deleter_of_a_function, deleter_of_a_function);

// The same for the deleter of an opaque object.
void deleter_of_an_opaque_object() {
  TVMFFIObjectHandle object = nullptr;
  int any = 0;
  TVM_FFI_CHECK_SAFE_CALL(
      TVMFFIObjectCreateOpaque(&any, kTVMFFIOpaquePyObject, ThrowError, &object));
  EXPECT_EQ(StderrOf([&] { TVMFFIObjectDecRef(object); }),
            std::string("TVMFFIObjectCreateOpaque.deleter: ignored: ValueError: cannot free\n"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_deleter_of_an_opaque_object, deleter_of_an_opaque_object);

// LOG_AND_THROW writes the whole message to stderr and throws.
void log_and_throw() {
  std::string error;
  const std::string text = StderrOf(
      [&] { error = error_of([] { TVM_FFI_LOG_AND_THROW(ValueError) << "at start-up"; }); });
  EXPECT_EQ(error, std::string("ValueError: at start-up"));
  const std::string begin = "Traceback (most recent call last):\n",
                    end = "\nValueError: at start-up\n";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  EXPECT(text.find(__FILE__) != std::string::npos);
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_log_and_throw, log_and_throw);
