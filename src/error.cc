// SPDX-License-Identifier: Apache-2.0
// Error objects and the one raised error that each thread has.
#include <tvm/ffi/error.h>

#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "backtrace.h"
#include "thread_value.h"

namespace ffi = tvm::ffi;

namespace {

TVMFFIByteArray BytesOf(const std::string& text) { return {text.data(), text.size()}; }

std::string TextOf(const TVMFFIByteArray* bytes) {
  return bytes == nullptr || bytes->size == 0 ? std::string()
                                              : std::string(bytes->data, bytes->size);
}

// An error with the storage behind its cell.
class OwnedErrorObj : public ffi::ErrorObj {
 public:
  OwnedErrorObj(std::string kind_text, std::string message_text, std::string backtrace_text,
                ffi::CallStack stack)
      : kind_(std::move(kind_text)),
        message_(std::move(message_text)),
        backtrace_(std::move(backtrace_text)),
        throwing_line_size_(backtrace_.size()),
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

  // The throwing line, the calls behind it, and what was added since.
  std::string WholeBacktrace() const {
    std::string text = backtrace_;
    const std::string line = text.substr(0, throwing_line_size_);
    return text.insert(throwing_line_size_, ffi::LinesOf(stack_, line));
  }

  static void Update(TVMFFIObjectHandle self, const TVMFFIByteArray* lines, int32_t mode) {
    auto* error = static_cast<OwnedErrorObj*>(static_cast<ffi::Object*>(self));
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    const std::string text = TextOf(lines);
    if (mode == kTVMFFIBacktraceUpdateModeReplace) {
      error->backtrace_ = text;
      error->throwing_line_size_ = text.size();
      error->stack_.addresses.clear();
    } else {
      error->backtrace_ += text;
    }
    error->backtrace = BytesOf(error->backtrace_);
    TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIErrorCell::update_backtrace);
  }

 private:
  std::string kind_;
  std::string message_;
  std::string backtrace_;
  size_t throwing_line_size_;
  ffi::CallStack stack_;
};

// The calling thread's raised error.
struct Raised {
  ffi::ObjectPtr<ffi::Object> error;
};

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

std::optional<std::string> WholeBacktrace(const ErrorObj* error) {
  if (error->update_backtrace != OwnedErrorObj::Update) return std::nullopt;
  return static_cast<const OwnedErrorObj*>(error)->WholeBacktrace();
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
    // The error before goes with `kept`, after the new one has taken its place: freeing it may run
    // anybody's code.
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
