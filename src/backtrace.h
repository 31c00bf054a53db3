// SPDX-License-Identifier: Apache-2.0
// The calls that were running when an error was thrown: kept as addresses, named when shown.
#ifndef TVM_FFI_SRC_BACKTRACE_H_
#define TVM_FFI_SRC_BACKTRACE_H_

#include <tvm/ffi/error.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// One entry of a backtrace.
struct Frame {
  std::string file;
  int line = 0;  // 0 where it is not known
  std::string function;
};

// What a text that TVMFFIBacktrace gave is made of.
struct CallStack {
  std::vector<void*> addresses;  // return addresses, the most recent call first
  bool cross_ffi_boundary = false;
  // Whether the text is one line, of the place below; else it is of the calls themselves.
  bool has_place = false;
  size_t file_size = 0, function_size = 0;
  int line = 0;
};

// Says that the code around a function is that of the host language's interpreter.
void SetHostCode(const void* function);

// Takes the calls behind the text that TVMFFIBacktrace last gave this thread, if it is that text.
std::optional<CallStack> TakeCallStack(const TVMFFIByteArray* text);

// The entries of the text and of the calls behind it.
std::vector<Frame> FramesOf(const CallStack& stack, std::string_view text);

// The lines of the calls behind the text, which has not got them.
std::string LinesBehind(const CallStack& stack, std::string_view text);

// The entries that lines `  File "f.cc", line 3, in g` tell; other lines are passed over. For a
// text of which nothing else is known: a name with a newline or with `", line ` in it is not told
// right.
std::vector<Frame> FramesIn(std::string_view text);

// The whole backtrace of an error that this library made; nothing for one of another library.
std::optional<std::string> WholeBacktrace(const ErrorObj* error);

// Its entries, from the byte `begin` of the cell's text on.
std::optional<std::vector<Frame>> Frames(const ErrorObj* error, size_t begin);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_BACKTRACE_H_
