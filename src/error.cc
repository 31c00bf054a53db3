// SPDX-License-Identifier: Apache-2.0
// Error objects and each thread's raised error.
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backtrace.h"
#include "thread_value.h"

namespace ffi = tvm::ffi;

namespace {

TVMFFIByteArray BytesOf(const std::string& text) { return {text.data(), text.size()}; }

std::string TextOf(const TVMFFIByteArray* bytes) {
  return bytes == nullptr || bytes->size == 0 ? std::string()
                                              : std::string(bytes->data, bytes->size);
}

// The argument that a function rejected, which the error is about.
struct RefusedArgument {
  // The value's address, for comparison only, and the value itself: a later call may have its
  // arguments at the same address.
  const TVMFFIAny* address;
  TVMFFIAny value;
  std::string expected;
  std::string got;   // in the message, starting at got_at
  bool is_got_type;  // only the name of the value's type
  int64_t got_at;
};

// An error that owns the texts its cell points to.
class OwnedErrorObj : public ffi::ErrorObj {
 public:
  OwnedErrorObj(std::string kind_text, std::string message_text, std::string backtrace_text,
                std::optional<ffi::CallStack> stack)
      : kind_(std::move(kind_text)),
        message_(std::move(message_text)),
        backtrace_(std::move(backtrace_text)),
        first_size_(backtrace_.size()),
        stack_(std::move(stack)) {
    kind = BytesOf(kind_);
    message = BytesOf(message_);
    backtrace = BytesOf(backtrace_);
    update_backtrace = Update;
    cause_chain = nullptr;
    extra_context = nullptr;
  }

  ~OwnedErrorObj() {
    TVMFFIObjectDecRef(cause_chain);
    TVMFFIObjectDecRef(extra_context);
  }

  // The initial text, the calls that it omits, and what was added since.
  std::string WholeBacktrace() const {
    std::string text = backtrace_;
    if (stack_.has_value()) text.insert(first_size_, ffi::LinesBehind(*stack_, First()));
    return text;
  }

  // The entries of the same, from byte `begin` of the text. Entries added later exist only as text.
  std::vector<ffi::Frame> Frames(size_t begin) const {
    const std::string_view text = backtrace_;
    if (!stack_.has_value() || begin > 0) return ffi::FramesIn(text.substr(begin));
    std::vector<ffi::Frame> frames = ffi::FramesOf(*stack_, First());
    for (ffi::Frame& frame : ffi::FramesIn(text.substr(first_size_))) {
      frames.push_back(std::move(frame));
    }
    return frames;
  }

  // NULL for an error of another library.
  static OwnedErrorObj* Find(const ffi::ErrorObj* error) {
    if (error->update_backtrace != Update) return nullptr;
    return static_cast<OwnedErrorObj*>(const_cast<ffi::ErrorObj*>(error));
  }

  std::unique_ptr<RefusedArgument> argument;

  static void Update(TVMFFIObjectHandle self, const TVMFFIByteArray* lines, int32_t mode) {
    auto* error = static_cast<OwnedErrorObj*>(static_cast<ffi::Object*>(self));
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    const std::string text = TextOf(lines);
    if (mode == kTVMFFIBacktraceUpdateModeReplace) {
      error->backtrace_ = text;
      error->stack_.reset();
    } else {
      error->backtrace_ += text;
    }
    error->backtrace = BytesOf(error->backtrace_);
    TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorCell::update_backtrace);
  }

 private:
  std::string_view First() const { return std::string_view(backtrace_).substr(0, first_size_); }

  std::string kind_;
  std::string message_;
  std::string backtrace_;
  size_t first_size_;                    // of the text that the error was created with
  std::optional<ffi::CallStack> stack_;  // of that text
};

// The error method that tvm/ffi/function_details.h calls for an error about an argument, with the
// value in the caller's array, the positions of the expected and the actual part in the message,
// and the library's name for the type of the value.
void SetArgument(const ffi::Error& error, void* value, int64_t expected_at, int64_t expected_size,
                 int64_t got_at, int64_t got_size, const std::string& type) {
  OwnedErrorObj* owned = OwnedErrorObj::Find(error.get());
  const std::string_view message(error->message.data, error->message.size);
  const auto part = [&](int64_t at, int64_t size) -> std::optional<std::string> {
    const auto end = static_cast<int64_t>(message.size());
    if (at < 0 || size < 0 || at > end || size > end - at) return std::nullopt;
    return std::string(message.substr(static_cast<size_t>(at), static_cast<size_t>(size)));
  };
  const std::optional<std::string> expected = part(expected_at, expected_size);
  const std::optional<std::string> got = part(got_at, got_size);
  if (owned == nullptr || value == nullptr || !expected || !got) return;
  const auto* address = static_cast<const TVMFFIAny*>(value);
  owned->argument.reset(
      new RefusedArgument{address, *address, *expected, *got, *got == type, got_at});
}

// The global function `ffi.ErrorArgument`, for the caller of a function that raised the error:
// which of the `count` values at `arguments` it is about, what was expected, what was passed,
// whether that is only the name of the value's type, and its position in the message. None for any
// other error.
ffi::Any ErrorArgument(const ffi::Error& error, void* arguments, int64_t count) {
  const OwnedErrorObj* owned = OwnedErrorObj::Find(error.get());
  if (owned == nullptr || owned->argument == nullptr) return nullptr;
  const RefusedArgument& about = *owned->argument;
  const auto* first = static_cast<const TVMFFIAny*>(arguments);
  if (std::less<>()(about.address, first) || !std::less<>()(about.address, first + count) ||
      std::memcmp(about.address, &about.value, sizeof(TVMFFIAny)) != 0) {
    return nullptr;
  }
  return ffi::Tuple<int64_t, ffi::String, ffi::String, bool, int64_t>(
      about.address - first, about.expected, about.got, about.is_got_type, about.got_at);
}

const bool registered = [] {
  TVMFFIMethodInfo method{};
  method.name = {"_set_argument", 13};
  const ffi::Any function = ffi::Function::FromTyped(SetArgument, "ffi.Error._set_argument");
  method.method = *reinterpret_cast<const TVMFFIAny*>(&function);
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMethod(kTVMFFIError, &method));
  ffi::Function::SetGlobal("ffi.ErrorArgument",
                           ffi::Function::FromTyped(ErrorArgument, "ffi.ErrorArgument"));
  return true;
}();

// The calling thread's raised error.
struct Raised {
  ffi::ObjectPtr<ffi::Object> error;
};

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::optional<std::string> WholeBacktrace(const ErrorObj* error) {
  const OwnedErrorObj* owned = OwnedErrorObj::Find(error);
  if (owned == nullptr) return std::nullopt;
  return owned->WholeBacktrace();
}

std::optional<std::vector<Frame>> Frames(const ErrorObj* error, size_t begin) {
  const OwnedErrorObj* owned = OwnedErrorObj::Find(error);
  if (owned == nullptr) return std::nullopt;
  return owned->Frames(begin);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

extern "C" {

int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out) {
  if (out == nullptr) return -1;
  try {
    ffi::ObjectPtr<OwnedErrorObj> error = ffi::make_object<OwnedErrorObj>(
        TextOf(kind), TextOf(message), TextOf(backtrace), ffi::TakeCallStack(backtrace));
    if (cause_chain != nullptr) TVMFFIObjectIncRef(cause_chain);
    if (extra_context != nullptr) TVMFFIObjectIncRef(extra_context);
    error->cause_chain = cause_chain;
    error->extra_context = extra_context;
    *out = ffi::ObjectUnsafe::MoveToOwned(std::move(error));
    return 0;
  } catch (...) {
    return -1;
  }
}

int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                      const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, nullptr, nullptr, out);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* result) {
  if (result == nullptr) return;
  Raised* raised = ThreadValue<Raised>::Find();
  *result = raised == nullptr ? nullptr : ffi::ObjectUnsafe::MoveToOwned(std::move(raised->error));
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  try {
    ffi::ObjectPtr<ffi::Object> kept = ffi::ObjectUnsafe::PtrFromBorrowed<ffi::Object>(error);
    // The previous error is freed with `kept`, after the new one has replaced it: freeing it may
    // run user code.
    std::swap(ThreadValue<Raised>::Get().error, kept);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "TVMFFIErrorSetRaised: out of memory, the error is lost\n");
  }
}

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts,
                                       int32_t num_parts) {
  if (kind == nullptr) kind = "RuntimeError";
  try {
    std::string message;
    for (int32_t i = 0; message_parts != nullptr && i < num_parts; ++i) {
      if (message_parts[i] != nullptr) message += message_parts[i];
    }
    TVMFFIErrorSetRaised(ffi::ObjectUnsafe::Borrow(ffi::Error(kind, message)));
  } catch (...) {
    std::fprintf(
        stderr, "TVMFFIErrorSetRaisedFromCStrParts: out of memory for an error of kind %s\n", kind);
    TVMFFIErrorSetRaised(nullptr);
  }
}

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}
}
