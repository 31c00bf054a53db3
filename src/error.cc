// SPDX-License-Identifier: Apache-2.0
// Error objects and the one raised error that each thread has.
#include <tvm/ffi/error.h>

#include <mutex>
#include <string>
#include <utility>

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
  OwnedErrorObj(std::string kind_text, std::string message_text, std::string backtrace_text)
      : kind_(std::move(kind_text)),
        message_(std::move(message_text)),
        backtrace_(std::move(backtrace_text)) {
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

 private:
  static void Update(TVMFFIObjectHandle self, const TVMFFIByteArray* lines, int32_t mode) {
    auto* error = static_cast<OwnedErrorObj*>(static_cast<ffi::Object*>(self));
    if (mode == kTVMFFIBacktraceUpdateModeReplace) error->backtrace_.clear();
    error->backtrace_.append(lines->data, lines->size);
    error->backtrace = BytesOf(error->backtrace_);
  }

  std::string kind_;
  std::string message_;
  std::string backtrace_;
};

thread_local ffi::ObjectPtr<ffi::Object> raised;

}  // namespace

extern "C" {

int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out) {
  try {
    ffi::ObjectPtr<OwnedErrorObj> error =
        ffi::make_object<OwnedErrorObj>(TextOf(kind), TextOf(message), TextOf(backtrace));
    if (cause_chain != nullptr) TVMFFIObjectIncRef(cause_chain);
    if (extra_context != nullptr) TVMFFIObjectIncRef(extra_context);
    error->cause_chain = cause_chain;
    error->extra_context = extra_context;
    *out = ffi::ObjectUnsafe::MoveToOwned(std::move(error));
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                      const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out) {
  return TVMFFIErrorCreateWithCauseAndExtraContext(kind, message, backtrace, nullptr, nullptr, out);
}

void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* result) {
  *result = ffi::ObjectUnsafe::MoveToOwned(std::move(raised));
}

void TVMFFIErrorSetRaised(TVMFFIObjectHandle error) {
  raised = ffi::ObjectUnsafe::PtrFromBorrowed<ffi::Object>(error);
}

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts,
                                       int32_t num_parts) {
  try {
    std::string message;
    for (int32_t i = 0; i < num_parts; ++i) {
      if (message_parts[i] != nullptr) message += message_parts[i];
    }
    TVMFFIErrorSetRaised(ffi::ObjectUnsafe::Borrow(ffi::Error(kind, message)));
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "TVMFFIErrorSetRaisedFromCStrParts: no memory for an error of kind %s\n",
                 kind);
    raised.reset();
  }
}

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  TVMFFIErrorSetRaisedFromCStrParts(kind, &message, 1);
}

const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno, const char* func, int) {
  thread_local std::string text;
  thread_local TVMFFIByteArray bytes;
  try {
    ffi::Message line;
    if (filename != nullptr) {
      line << "  File \"" << filename << "\", line " << lineno << ", in "
           << (func == nullptr ? "<unknown>" : func) << "\n";
    }
    text = line.take();
  } catch (const std::bad_alloc&) {
    text.clear();  // An error without a backtrace is better than none.
  }
  bytes = BytesOf(text);
  return &bytes;
}
}
