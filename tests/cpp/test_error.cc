// SPDX-License-Identifier: Apache-2.0
// error.h: kinds, messages, backtraces, causes, and errors through the C ABI.
// Rows: R6
#include <dlfcn.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdlib>
#include <ostream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

struct Point {
  int x, y;
};
std::ostream& operator<<(std::ostream& out, const Point& p) {
  return out << "<" << p.x << "," << p.y << ">";
}

}  // namespace

// A message accepts numbers, strings, our types, and anything with an operator for std::ostream.
void message_takes_everything() {
  EXPECT_THROWS(
      "ValueError: abcde1-2318446744073709551615truefalse0.11.51e+300cuda:1bfloat16x2(2, "
      "3)()2<1,2>",
      TVM_FFI_THROW(ValueError) << "a" << std::string("b") << std::string_view("c")
                                << ffi::String("d") << 'e' << 1 << -2L << 3u
                                << 18446744073709551615ull << true << false << 0.1 << 1.5f << 1e300
                                << DLDevice{kDLCUDA, 1} << DLDataType{kDLBfloat, 16, 2}
                                << ffi::Shape({2, 3}) << ffi::ShapeView() << kDLCUDA
                                << Point{1, 2});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_message_takes_everything, message_takes_everything);

namespace {

// Calls that the compiler must not merge into their callers.
__attribute__((noinline)) void inner(int n) {
  TVM_FFI_THROW(ValueError) << "n must be even, got " << n;
}
__attribute__((noinline)) void outer(int n) {
  inner(n);
  inner(n + 1);  // so that the first call is not a tail call
}

template <typename F>
ffi::Error ErrorOf(F function) {
  try {
    function();
  } catch (const ffi::Error& error) {
    return error;
  }
  TVM_FFI_THROW(AssertionError) << "expected an error, got none";
}

// The functions named by the lines of a backtrace.
std::string FunctionsIn(const std::string& backtrace) {
  std::string functions;
  for (size_t at = 0; (at = backtrace.find(", in ", at)) != std::string::npos;) {
    at += 5;
    functions += backtrace.substr(at, backtrace.find('\n', at) - at) + "; ";
  }
  return functions;
}

std::string CellText(const ffi::Error& error) {
  return std::string(error->backtrace.data, error->backtrace.size);
}

}  // namespace

// An error records the file, line and function that threw it.
void error_knows_its_place() {
  const int line = __LINE__ + 1;
  ffi::Error error = ErrorOf([] { TVM_FFI_THROW(ValueError) << "here"; });
  const std::string want = (ffi::Message().self() << "  File \"" << __FILE__ << "\", line " << line
                                                  << ", in operator()\n")
                               .take();
  EXPECT_EQ(CellText(error), want);
  EXPECT_EQ(error.backtrace().substr(0, want.size()), want);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_knows_its_place, error_knows_its_place);

// The cell that every reader sees holds only the throwing line; the rest of a backtrace is looked
// up on demand, as test_shown_errors.cc tests.
void cell_of_a_backtrace() {
  EXPECT_EQ(FunctionsIn(CellText(ErrorOf([] { outer(3); }))), std::string("inner; "));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_cell_of_a_backtrace, cell_of_a_backtrace);

void exported() { outer(3); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(exported, exported);

// An exported function is the last call shown, whoever calls it.
void backtrace_ends_at_the_exported_function() {
  TVMFFIAny result{};
  EXPECT_EQ(__tvm_ffi_exported(nullptr, nullptr, 0, &result), -1);
  EXPECT_EQ(
      FunctionsIn(ErrorOf([] { ffi::detail::ThrowRaised(-1); }).backtrace()),
      std::string("inner; (anonymous namespace)::outer(int); exported(); __tvm_ffi_exported; "));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_ends_at_the_exported_function,
                              backtrace_ends_at_the_exported_function);

// Lines of other languages follow the calls, in the order in which they were added; a new text
// replaces the calls too.
void backtrace_is_added_to() {
  ffi::Error error = ErrorOf([] { outer(3); });
  const std::string before = error.backtrace();
  const TVMFFIByteArray first{"one\n", 4}, second{"two\n", 4}, third{"three\n", 6};
  error.UpdateBacktrace(&first, kTVMFFIBacktraceUpdateModeAppend);
  error.UpdateBacktrace(&second, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(error.backtrace(), before + "one\ntwo\n");
  error.UpdateBacktrace(&third, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(error.backtrace(), std::string("three\n"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_is_added_to, backtrace_is_added_to);

// The calls belong to the error created from the text, and to no later one.
void backtrace_belongs_to_one_error() {
  const TVMFFIByteArray* text = TVMFFIBacktrace("f.cc", 3, "f", 0);
  const std::string line(text->data, text->size);
  EXPECT_EQ(line, std::string("  File \"f.cc\", line 3, in f\n"));
  ffi::Error first("ValueError", "m", text), second("ValueError", "m", text),
      copy("ValueError", "m", line);
  EXPECT(first.backtrace().size() > line.size());
  EXPECT_EQ(second.backtrace(), line);
  EXPECT_EQ(copy.backtrace(), line);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_belongs_to_one_error, backtrace_belongs_to_one_error);

// Without a location the calls are shown at once; with cross_ffi_boundary they continue into the
// caller's language.
void backtrace_of_a_caller_without_a_place() {
  const TVMFFIByteArray* text = TVMFFIBacktrace(nullptr, 0, nullptr, 0);
  const std::string up_to_the_boundary = FunctionsIn(std::string(text->data, text->size));
  EXPECT_EQ(up_to_the_boundary,
            std::string("backtrace_of_a_caller_without_a_place(); "
                        "__tvm_ffi_test_backtrace_of_a_caller_without_a_place; "));
  text = TVMFFIBacktrace(nullptr, 0, nullptr, 1);
  EXPECT(std::string(text->data, text->size).size() > up_to_the_boundary.size());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_of_a_caller_without_a_place,
                              backtrace_of_a_caller_without_a_place);

// Each thread throws, and its error names its own calls.
void backtraces_of_threads() {
  std::vector<std::thread> threads;
  std::vector<std::string> seen(8);
  for (std::string& one : seen) {
    threads.emplace_back([&one] {
      for (int i = 0; i < 50; ++i) one = ErrorOf([i] { outer(i); }).backtrace();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : seen) {
    EXPECT_EQ(FunctionsIn(one).substr(0, 41),
              std::string("inner; (anonymous namespace)::outer(int);"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtraces_of_threads, backtraces_of_threads);

// The full text is what Python would print; what() is only the message.
void texts_of_an_error() {
  ffi::Error error("ValueError", "m", "one\ntwo\n");
  EXPECT_EQ(error.FullMessage(),
            std::string("Traceback (most recent call last):\ntwo\none\nValueError: m\n"));
  EXPECT_EQ(std::string(error.what()), std::string("m"));
  for (std::pair<const char*, const char*> lines :
       {std::pair("", ""), {"one", "one\n"}, {"one\ntwo", "two\none\n"}, {"\n\n", "\n\n"}}) {
    EXPECT_EQ(ffi::Error("E", "", lines.first).TracebackMostRecentCallLast(),
              std::string(lines.second));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_texts_of_an_error, texts_of_an_error);

// An error may have a cause and an extra context, which live as long as it does.
void causes_and_contexts() {
  ffi::Error cause("OSError", "no such file: weights.bin");
  ffi::Error error("ValueError", "the model cannot be read", "", cause, ffi::Shape({2, 3}));
  EXPECT_EQ(error.cause_chain()->message(), std::string("no such file: weights.bin"));
  EXPECT(error.extra_context()->as<ffi::ShapeObj>() != nullptr);
  EXPECT(error.cause_chain()->same_as(cause));
  EXPECT_EQ(cause.use_count(), 2);
  error = cause;
  EXPECT_EQ(cause.use_count(), 2);
  EXPECT(!cause.cause_chain().has_value() && !cause.extra_context().has_value());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_causes_and_contexts, causes_and_contexts);

// A long chain of causes can be read and freed without deep recursion.
void long_chains() {
  ffi::Error error("E", "0");
  for (int i = 0; i < 1000; ++i) error = ffi::Error("E", "more", "", error, std::nullopt);
  int length = 0;
  for (std::optional<ffi::Error> cause = error; cause.has_value(); cause = cause->cause_chain()) {
    ++length;
  }
  EXPECT_EQ(length, 1001);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_long_chains, long_chains);

// An error is a value that round-trips through Any.
void error_in_any() {
  ffi::Error error("ValueError", "m");
  ffi::Any any = error;
  EXPECT_EQ(any.type_index(), int32_t{kTVMFFIError});
  EXPECT(any.cast<ffi::Error>().same_as(error));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_in_any, error_in_any);

// An error about an argument tells the caller, as data, which one, what was expected and what was
// passed; an error about an argument of another call does not.
void error_about_an_argument() {
  const ffi::Function function =
      ffi::Function::FromTyped([](int64_t, const ffi::String&) {}, "function");
  ffi::AnyView arguments[] = {1, 2.5}, others[] = {1, 2.5};
  const ffi::Error error = ErrorOf([&] {
    ffi::Any result;
    function.CallPacked(arguments, 2, &result);
  });
  const ffi::Function about = ffi::Function::GetGlobalRequired("ffi.ErrorArgument");
  const auto told = about(error, static_cast<void*>(arguments), 2)
                        .cast<ffi::Tuple<int64_t, ffi::String, ffi::String, bool, int64_t>>();
  EXPECT_EQ(told.get<0>(), 1);
  EXPECT_EQ(told.get<1>(), ffi::String("str"));
  EXPECT_EQ(told.get<2>(), ffi::String("float"));
  EXPECT(told.get<3>());
  EXPECT_EQ(error.message().substr(static_cast<size_t>(told.get<4>())), std::string("float"));
  EXPECT(about(error, static_cast<void*>(others), 2) == nullptr);
  EXPECT(about(error, static_cast<void*>(arguments), 1) == nullptr);
  EXPECT(about(ffi::Error("TypeError", error.message()), static_cast<void*>(arguments), 2) ==
         nullptr);
  // Another value at the same address belongs to another call.
  arguments[1] = 3.5;
  EXPECT(about(error, static_cast<void*>(arguments), 2) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_about_an_argument, error_about_an_argument);

// Each thread has its own raised error, and a second one replaces the first.
void one_raised_error_per_thread() {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "first");
  TVMFFIErrorSetRaisedFromCStr("ValueError", "second");
  std::thread([] {
    TVMFFIObjectHandle handle = &handle;
    TVMFFIErrorMoveFromRaised(&handle);
    if (handle != nullptr) std::abort();
    TVMFFIErrorSetRaisedFromCStr("ValueError", "dropped with its thread");
  }).join();
  EXPECT_THROWS("ValueError: second", ffi::detail::ThrowRaised(-1));
  TVMFFIObjectHandle handle = &handle;
  TVMFFIErrorMoveFromRaised(&handle);
  EXPECT(handle == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_one_raised_error_per_thread, one_raised_error_per_thread);

// An error that crosses the C ABI comes back as the same object.
void error_crosses_the_c_abi() {
  ffi::Error thrown("KeyError", "k");
  ffi::Function f = ffi::Function::FromTyped([thrown]() -> int { throw thrown; });
  try {
    f();
    EXPECT(false);
  } catch (const ffi::Error& caught) {
    EXPECT(caught.same_as(thrown));
    EXPECT_EQ(caught.kind(), std::string("KeyError"));
    EXPECT_EQ(caught.message(), std::string("k"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_error_crosses_the_c_abi, error_crosses_the_c_abi);

// Exceptions of other kinds also become errors; none escapes a C ABI function.
void other_exceptions_become_errors() {
  auto thrower = [](auto exception) {
    return ffi::Function::FromTyped([exception]() -> int { throw exception; });
  };
  EXPECT_THROWS("RuntimeError: r", thrower(std::runtime_error("r"))());
  EXPECT_THROWS("MemoryError: std::bad_alloc", thrower(std::bad_alloc())());
  EXPECT_THROWS("RuntimeError: an exception that is not a std::exception", thrower(7)());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_other_exceptions_become_errors, other_exceptions_become_errors);

// The C functions raise, append to the backtrace, and keep a cause and a context alive.
void c_functions_of_errors() {
  const char* parts[] = {"a", nullptr, "b"};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 3);
  EXPECT_THROWS("TypeError: ab", ffi::detail::ThrowRaised(-1));
  EXPECT_THROWS("InternalError: a call returned 5 without setting an error",
                ffi::detail::ThrowRaised(5));

  TVMFFIErrorSetRaisedFromCStr(nullptr, nullptr);
  EXPECT_THROWS("RuntimeError: ", ffi::detail::ThrowRaised(-1));

  {
    std::string lent = "a text beyond the small ones";
    TVMFFIByteArray text{lent.data(), lent.size()};
    TVMFFIObjectHandle copied = nullptr;
    EXPECT_EQ(TVMFFIErrorCreate(&text, &text, &text, &copied), 0);
    const ffi::Error copy(ffi::ObjectUnsafe::PtrFromOwned<ffi::ErrorObj>(copied));
    const std::string before = lent;
    lent.assign(lent.size(), '-');
    EXPECT_EQ(copy.kind(), before);
    EXPECT_EQ(copy.message(), before);
    EXPECT_EQ(copy.backtrace(), before);
  }

  ffi::Error cause("ValueError", "cause");
  TVMFFIByteArray kind{"TypeError", 9}, message{"m", 1}, backtrace{"one\n", 4}, more{"two\n", 4};
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFIErrorCreateWithCauseAndExtraContext(
                &kind, &message, &backtrace, ffi::ObjectUnsafe::Borrow(cause), nullptr, &handle),
            0);
  ffi::Error error(ffi::ObjectUnsafe::PtrFromOwned<ffi::ErrorObj>(handle));
  error->update_backtrace(handle, &more, kTVMFFIBacktraceUpdateModeAppend);
  EXPECT_EQ(error.backtrace(), std::string("one\ntwo\n"));
  error->update_backtrace(handle, &more, kTVMFFIBacktraceUpdateModeReplace);
  EXPECT_EQ(error.backtrace(), std::string("two\n"));
  EXPECT(error.cause_chain()->same_as(cause));
  EXPECT_EQ(cause.use_count(), 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_c_functions_of_errors, c_functions_of_errors);

// Libraries hide their symbols from one another, yet an error that one throws through a direct
// C++ call is caught by its type in the other, as libstdc++ compares type names.
void typed_catch_across_libraries() {
  Dl_info here;
  EXPECT(dladdr(reinterpret_cast<void*>(&typed_catch_across_libraries), &here) != 0);
  const std::string self(here.dli_fname);
  const std::string path = self.substr(0, self.rfind('/')) + "/error_library.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != nullptr) << dlerror();
  auto throw_error = reinterpret_cast<void (*)(int)>(dlsym(library, "throw_error"));
  EXPECT(throw_error != nullptr);
  EXPECT_THROWS("IndexError: thrown by another library: 3", throw_error(3));
  // The frame in the other library is named too.
  EXPECT(FunctionsIn(ErrorOf([&] { throw_error(3); }).backtrace()).find("throw_error; ") == 0);
  dlclose(library);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_typed_catch_across_libraries, typed_catch_across_libraries);

// A backtrace can be shown after the throwing library is unloaded: its calls then have no names.
void backtrace_after_unload() {
  Dl_info here;
  EXPECT(dladdr(reinterpret_cast<void*>(&backtrace_after_unload), &here) != 0);
  const std::string self(here.dli_fname);
  const std::string path = self.substr(0, self.rfind('/')) + "/error_library.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT(library != nullptr);
  auto throw_error = reinterpret_cast<void (*)(int)>(dlsym(library, "throw_error"));
  // The exception object itself belongs to the library; the error it refers to does not.
  std::optional<ffi::Error> error = ErrorOf([&] { throw_error(3); });
  EXPECT_EQ(dlclose(library), 0);
  EXPECT_EQ(error->message(), std::string("thrown by another library: 3"));
  EXPECT(error->backtrace().find("error_library.cc") != std::string::npos);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_backtrace_after_unload, backtrace_after_unload);

// The exception for an error already raised in the host language says so.
void set_in_the_host() {
  EXPECT_EQ(std::string(ffi::EnvErrorAlreadySet().what()),
            std::string("an error is already set in the host"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_set_in_the_host, set_in_the_host);
