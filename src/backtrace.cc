// SPDX-License-Identifier: Apache-2.0
// The calls that were running when an error was thrown: kept as addresses, named when shown.
#include "backtrace.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>
#include <tvm/ffi/function.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "locks.h"
#include "symbol_name.h"
#include "thread_value.h"

namespace ffi = tvm::ffi;

namespace {

// Deep enough to reach from a kernel to the function that was exported; a throw pays for each.
constexpr int kMaxCalls = 32;

// The code of the host language's interpreter, where a walk may end: calls beyond are not shown.
std::atomic<uintptr_t> host_begin{0}, host_end{0};

// What TVMFFIBacktrace gave this thread last, until an error takes it.
struct Pending {
  std::string text;
  TVMFFIByteArray bytes;
  void* addresses[kMaxCalls];
  int count = 0;
  bool cross_ffi_boundary = false;
};

// Parentheses: braces would make a vector of two pointers.
ffi::CallStack PendingStack(const Pending& pending) {
  return {std::vector<void*>(pending.addresses, pending.addresses + pending.count),
          pending.cross_ffi_boundary};
}

_Unwind_Reason_Code Collect(_Unwind_Context* context, void* state) {
  auto* stack = static_cast<Pending*>(state);
  const uintptr_t address = _Unwind_GetIP(context);
  const bool is_host = address >= host_begin.load(std::memory_order_relaxed) &&
                       address < host_end.load(std::memory_order_relaxed);
  if (stack->count == kMaxCalls || (is_host && !stack->cross_ffi_boundary)) {
    return _URC_END_OF_STACK;
  }
  stack->addresses[stack->count++] = reinterpret_cast<void*>(address);
  return _URC_NO_REASON;
}

// One call, as a backtrace shows it.
struct Call {
  std::string line;
  std::string function;
  // A frame of this library's headers, which says nothing about the program.
  bool is_glue = false;
  // The exported function that another language called, the last one to show; or, beyond it, code
  // of that language.
  bool is_exported = false, is_host = false;
};

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string Demangled(const std::string& symbol) {
  int status = 0;
  char* name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? name : symbol;
  std::free(name);
  return result;
}

Call Describe(void* return_address) {
  // The call stands before the address that it returns to, which may be none at all.
  const auto address = reinterpret_cast<uintptr_t>(return_address) - 1;
  const CodePlace place = FindCodePlace(reinterpret_cast<void*>(address));
  Call call;
  for (std::string_view glue : {"_ZN3tvm3ffi", "_ZNK3tvm3ffi", "_ZZN3tvm3ffi", "_ZNO3tvm3ffi"}) {
    call.is_glue = call.is_glue || StartsWith(place.symbol, glue);
  }
  call.is_exported = StartsWith(place.symbol, "__tvm_ffi_");
  // Python's own functions, and the extensions that it loads.
  call.is_host = place.symbol == "TVMFFIFunctionCall" || StartsWith(place.symbol, "Py") ||
                 StartsWith(place.symbol, "_Py") ||
                 place.library.find(".cpython-") != std::string::npos ||
                 place.library.find(".abi3.") != std::string::npos;
  call.function = place.symbol.empty()
                      ? (ffi::Message().self() << reinterpret_cast<void*>(place.offset)).take()
                      : Demangled(place.symbol);
  call.line = "  File \"" + (place.library.empty() ? "<unknown>" : place.library) +
              "\", line 0, in " + call.function + "\n";
  return call;
}

// Descriptions by address, forgotten when a library is unloaded: another one may take its place.
class Descriptions {
 public:
  // Leaked on purpose: errors may be shown until the process ends.
  static Descriptions& Get() {
    static auto* descriptions = new Descriptions();
    return *descriptions;
  }

  // The loader is never asked under the lock: it has one of its own, and runs code of libraries
  // under it, which may show errors.
  Call Find(void* address) {
    const unsigned long long unloads = Unloads();
    {
      std::lock_guard<std::mutex> lock(Lock());
      if (unloads > unloads_) {
        known_.clear();
        unloads_ = unloads;
      }
      auto found = known_.find(address);
      if (unloads == unloads_ && found != known_.end()) return found->second;
    }
    const Call call = Describe(address);
    std::lock_guard<std::mutex> lock(Lock());
    if (unloads == unloads_) known_.try_emplace(address, call);
    return call;
  }

 private:
  static unsigned long long Unloads() {
    unsigned long long unloads = 0;
    std::lock_guard<std::mutex> lock(ffi::LockOf(ffi::Guarded::kLoadedLibraries));
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* out) {
          *static_cast<unsigned long long*>(out) = info->dlpi_subs;
          return 1;
        },
        &unloads);
    return unloads;
  }

  static std::mutex& Lock() { return ffi::LockOf(ffi::Guarded::kBacktraces); }

  std::unordered_map<void*, Call> known_;
  unsigned long long unloads_ = 0;
};

// The bare name of the function that a line `..., in void f(int)` names.
std::string_view FunctionIn(std::string_view line) {
  const size_t in = line.rfind(", in ");
  if (in == std::string_view::npos) return {};
  std::string_view name = line.substr(in + 5);
  name = name.substr(0, name.find_first_of("(\n"));
  const size_t qualified = name.find_last_of(": ");
  return qualified == std::string_view::npos ? name : name.substr(qualified + 1);
}

// The global function `ffi.ErrorBacktrace`.
std::string ErrorBacktrace(const ffi::Error& error) {
  if (auto whole = ffi::WholeBacktrace(error.get())) return *whole;
  // An error that code of the published headers made has the text alone; the calls behind it are
  // at hand as long as this thread has thrown nothing else.
  std::string text(error->backtrace.data, error->backtrace.size);
  const Pending* pending = ThreadValue<Pending>::Find();
  if (pending != nullptr && !pending->text.empty() && StartsWith(text, pending->text)) {
    text.insert(pending->text.size(), ffi::LinesOf(PendingStack(*pending), pending->text));
  }
  return text;
}

const bool registered = [] {
  Descriptions::Get();  // see locks.h
  ffi::Function::SetGlobal("ffi.ErrorBacktrace",
                           ffi::Function::FromTyped(ErrorBacktrace, "ffi.ErrorBacktrace"));
  return true;
}();

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

void SetHostCode(const void* function) {
  auto find = [](dl_phdr_info* library, size_t, void* wanted) {
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const ElfW(Phdr) & segment = library->dlpi_phdr[i];
      const uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
          reinterpret_cast<uintptr_t>(wanted) - begin < segment.p_memsz) {
        host_begin = begin;
        host_end = begin + segment.p_memsz;
        return 1;
      }
    }
    return 0;
  };
  std::lock_guard<std::mutex> lock(LockOf(Guarded::kLoadedLibraries));
  dl_iterate_phdr(find, const_cast<void*>(function));
}

CallStack TakeCallStack(const TVMFFIByteArray* text) {
  Pending* pending = ThreadValue<Pending>::Find();
  if (text == nullptr || pending == nullptr || text->data != pending->text.data() ||
      text->size != pending->text.size()) {
    return {};
  }
  CallStack stack = PendingStack(*pending);
  pending->count = 0;
  return stack;
}

std::string LinesOf(const CallStack& stack, std::string_view throwing_line) {
  std::string lines;
  bool is_first = true;
  for (void* address : stack.addresses) {
    const Call call = Descriptions::Get().Find(address);
    if (call.is_host && !stack.cross_ffi_boundary) break;
    if (call.is_glue) continue;
    const bool is_named = is_first && !throwing_line.empty() &&
                          call.function.find(FunctionIn(throwing_line)) != std::string::npos;
    if (!is_named) lines += call.line;
    is_first = false;
    if (call.is_exported && !stack.cross_ffi_boundary) break;
  }
  return lines;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

extern "C" const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno,
                                                  const char* func, int cross_ffi_boundary) {
  Pending& pending = ThreadValue<Pending>::Get();
  pending.count = 0;
  pending.cross_ffi_boundary = cross_ffi_boundary != 0;
  _Unwind_Backtrace(Collect, &pending);
  // The first frame is this function.
  if (pending.count > 0) {
    std::copy(pending.addresses + 1, pending.addresses + pending.count, pending.addresses);
    --pending.count;
  }
  try {
    ffi::Message line;
    if (filename != nullptr) {
      line << "  File \"" << filename << "\", line " << lineno << ", in "
           << (func == nullptr ? "<unknown>" : func) << "\n";
      pending.text = line.take();
    } else {
      // Without a place the calls are all that can be told.
      pending.text = ffi::LinesOf(PendingStack(pending), "");
      pending.count = 0;
    }
  } catch (...) {
    pending.text.clear();  // An error without a backtrace is better than none.
  }
  pending.bytes = {pending.text.data(), pending.text.size()};
  return &pending.bytes;
}
