// SPDX-License-Identifier: Apache-2.0
// The call stack of a thrown error: stored as addresses, resolved to names when shown.
#include "backtrace.h"

#include <cxxabi.h>
#include <link.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/function.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "library_pin.h"
#include "loaded_library.h"
#include "locks.h"
#include "symbol_name.h"
#include "thread_value.h"

namespace ffi = tvm::ffi;

namespace {

// Deep enough to reach the exported function from a kernel; every throw pays for each call.
constexpr int kMaxCalls = 32;

// The host language interpreter's code, where a walk may stop: calls beyond it are not shown.
std::atomic<uintptr_t> host_begin{0}, host_end{0};

// This thread's last result of TVMFFIBacktrace, until an error takes it.
struct Pending {
  std::string text;
  TVMFFIByteArray bytes;
  void* addresses[kMaxCalls];
  int count = 0;
  ffi::CallStack stack;  // without the addresses
};

ffi::CallStack PendingStack(const Pending& pending) {
  ffi::CallStack stack = pending.stack;
  stack.addresses.assign(pending.addresses, pending.addresses + pending.count);
  return stack;
}

_Unwind_Reason_Code Collect(_Unwind_Context* context, void* state) {
  auto* stack = static_cast<Pending*>(state);
  const uintptr_t address = _Unwind_GetIP(context);
  const bool is_host = address >= host_begin.load(std::memory_order_relaxed) &&
                       address < host_end.load(std::memory_order_relaxed);
  if (stack->count == kMaxCalls || (is_host && !stack->stack.cross_ffi_boundary)) {
    return _URC_END_OF_STACK;
  }
  stack->addresses[stack->count++] = reinterpret_cast<void*>(address);
  return _URC_NO_REASON;
}

// One call, as a backtrace shows it.
struct Call {
  ffi::Frame frame;
  // A frame of this library's headers, which is irrelevant to the user.
  bool is_glue = false;
  // Whether this is the exported function called by another language, the last call to show, or
  // code of that language, beyond it.
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
  // The call precedes its return address, which may already be in another function.
  const auto address = reinterpret_cast<uintptr_t>(return_address) - 1;
  const CodePlace place = FindCodePlace(reinterpret_cast<void*>(address));
  Call call;
  for (std::string_view glue : {"_ZN3tvm3ffi", "_ZNK3tvm3ffi", "_ZZN3tvm3ffi", "_ZNO3tvm3ffi"}) {
    call.is_glue = call.is_glue || StartsWith(place.symbol, glue);
  }
  call.is_exported = StartsWith(place.symbol, "__tvm_ffi_");
  // Python's own functions and its extension modules.
  call.is_host = place.symbol == "TVMFFIFunctionCall" || StartsWith(place.symbol, "Py") ||
                 StartsWith(place.symbol, "_Py") ||
                 place.library.find(".cpython-") != std::string::npos ||
                 place.library.find(".abi3.") != std::string::npos;
  call.frame.function =
      place.symbol.empty() ? (ffi::Message().self() << reinterpret_cast<void*>(place.offset)).take()
                           : Demangled(place.symbol);
  call.frame.file = place.library.empty() ? "<unknown>" : place.library;
  return call;
}

// Descriptions by address, cleared when a library is unloaded: another may be loaded in its place.
class Descriptions {
 public:
  // Leaked on purpose: errors may be shown until the process exits.
  static Descriptions& Get() {
    static auto* descriptions = new Descriptions();
    return *descriptions;
  }

  // The loader is never called with the lock held: it has its own lock, under which it runs library
  // code that may show errors.
  Call Find(void* address) {
    const std::optional<unsigned long long> unloads = Unloads(address);
    if (!unloads.has_value()) return Describe(address);
    {
      std::lock_guard<std::mutex> lock(Lock());
      if (*unloads > unloads_) {
        known_.clear();
        unloads_ = *unloads;
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
  // Nullopt if a library that contains the address may be unloaded uncounted.
  static std::optional<unsigned long long> Unloads(const void* address) {
    // The loader's counter needs a lock that may be held forever in a forked child, so a child
    // counts what this library unloads, from a number that no parent reaches.
    if (ffi::IsForkedChild()) {
      const auto unloads = ffi::LibraryPin::UnloadsIfKnown(address);
      if (!unloads.has_value()) return std::nullopt;
      return kInChild + *unloads;
    }
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

  static constexpr unsigned long long kInChild = 1ULL << 63;

  std::unordered_map<void*, Call> known_;
  unsigned long long unloads_ = 0;
};

// The bare name `f` of a function `void f(int)`.
std::string_view BareName(std::string_view name) {
  name = name.substr(0, name.find('('));
  const size_t qualified = name.find_last_of(": ");
  return qualified == std::string_view::npos ? name : name.substr(qualified + 1);
}

constexpr std::string_view kFile = "  File \"", kLine = "\", line ", kIn = ", in ";

// Appends the line of an entry; `line` is the line number in the file.
ffi::Message& AppendLine(ffi::Message& text, std::string_view file, int line,
                         std::string_view function) {
  return text << kFile << file << kLine << line << kIn << function << "\n";
}

// The location named by the single line of a text.
ffi::Frame PlaceIn(const ffi::CallStack& stack, std::string_view text) {
  const size_t function_at = text.size() - 1 - stack.function_size;
  return {std::string(text.substr(kFile.size(), stack.file_size)), stack.line,
          std::string(text.substr(function_at, stack.function_size))};
}

// The calls of a stack, without the `throwing` function.
std::vector<ffi::Frame> CallsOf(const ffi::CallStack& stack, std::string_view throwing) {
  std::vector<ffi::Frame> frames;
  bool is_first = true;
  for (void* address : stack.addresses) {
    Call call = Descriptions::Get().Find(address);
    if (call.is_host && !stack.cross_ffi_boundary) break;
    if (call.is_glue) continue;
    const bool is_named = is_first && !throwing.empty() &&
                          call.frame.function.find(BareName(throwing)) != std::string::npos;
    if (!is_named) frames.push_back(std::move(call.frame));
    is_first = false;
    if (call.is_exported && !stack.cross_ffi_boundary) break;
  }
  return frames;
}

std::string LinesOf(const std::vector<ffi::Frame>& frames) {
  ffi::Message text;
  for (const ffi::Frame& frame : frames) AppendLine(text, frame.file, frame.line, frame.function);
  return text.take();
}

// Parses a line, without its newline, as an entry.
std::optional<ffi::Frame> FrameIn(std::string_view line) {
  if (!StartsWith(line, kFile)) return std::nullopt;
  for (size_t at = line.find(kLine); at != line.npos; at = line.find(kLine, at + 1)) {
    const std::string_view file = line.substr(kFile.size(), at - kFile.size());
    std::string_view rest = line.substr(at + kLine.size());
    int number = 0;
    const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (failure == std::errc() && StartsWith(rest, kIn)) {
      return ffi::Frame{std::string(file), number, std::string(rest.substr(kIn.size()))};
    }
  }
  return std::nullopt;
}

// The pending data of an error created by code built with the published headers. Such an error has
// only the text; its calls are available until this thread throws something else.
const Pending* PendingOf(const ffi::Error& error) {
  const std::string_view text(error->backtrace.data, error->backtrace.size);
  const Pending* pending = ThreadValue<Pending>::Find();
  if (pending == nullptr || pending->text.empty() || !StartsWith(text, pending->text)) {
    return nullptr;
  }
  return pending->stack.has_place || pending->count > 0 ? pending : nullptr;
}

// The global function `ffi.ErrorBacktrace`.
std::string ErrorBacktrace(const ffi::Error& error) {
  if (auto whole = ffi::WholeBacktrace(error.get())) return *whole;
  std::string text(error->backtrace.data, error->backtrace.size);
  if (const Pending* pending = PendingOf(error)) {
    text.insert(pending->text.size(), ffi::LinesBehind(PendingStack(*pending), pending->text));
  }
  return text;
}

using Entry = ffi::Tuple<ffi::String, int64_t, ffi::String>;

// The global function `ffi.ErrorFrames`: the entries of a backtrace, the most recent call first.
// The caller already knows the entries in the first `known` bytes of the cell's text.
ffi::Array<Entry> ErrorFrames(const ffi::Error& error, int64_t known) {
  const auto begin = std::min(static_cast<size_t>(known), error->backtrace.size);
  std::optional<std::vector<ffi::Frame>> frames = ffi::Frames(error.get(), begin);
  if (!frames.has_value()) {
    const std::string_view text(error->backtrace.data, error->backtrace.size);
    const Pending* pending = begin == 0 ? PendingOf(error) : nullptr;
    frames.emplace();
    size_t read = begin;
    if (pending != nullptr) {
      frames = ffi::FramesOf(PendingStack(*pending), pending->text);
      read = pending->text.size();
    }
    for (ffi::Frame& frame : ffi::FramesIn(text.substr(read))) frames->push_back(std::move(frame));
  }
  ffi::Array<Entry> entries;
  for (const ffi::Frame& frame : *frames) {
    entries.push_back(Entry(frame.file, frame.line, frame.function));
  }
  return entries;
}

const bool registered = [] {
  Descriptions::Get();  // see locks.h
  ffi::Function::SetGlobal("ffi.ErrorBacktrace",
                           ffi::Function::FromTyped(ErrorBacktrace, "ffi.ErrorBacktrace"));
  ffi::Function::SetGlobal("ffi.ErrorFrames",
                           ffi::Function::FromTyped(ErrorFrames, "ffi.ErrorFrames"));
  return true;
}();

}  // namespace

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

void SetHostCode(const void* function) {
  const auto library = FindLoadedLibrary(function);
  if (!library.has_value()) return;
  const auto address = reinterpret_cast<uintptr_t>(function);
  for (const auto& segment : library->segments) {
    if (!segment.is_code || !segment.Contains(address)) continue;
    host_begin = segment.begin;
    host_end = segment.end;
  }
}

std::optional<CallStack> TakeCallStack(const TVMFFIByteArray* text) {
  Pending* pending = ThreadValue<Pending>::Find();
  if (text == nullptr || pending == nullptr || text->data != pending->text.data() ||
      text->size != pending->text.size()) {
    return std::nullopt;
  }
  // The calls go to one error only; without a location nothing else is left.
  if (pending->count == 0 && !pending->stack.has_place) return std::nullopt;
  CallStack stack = PendingStack(*pending);
  pending->count = 0;
  return stack;
}

std::vector<Frame> FramesOf(const CallStack& stack, std::string_view text) {
  if (!stack.has_place) return CallsOf(stack, "");
  const Frame place = PlaceIn(stack, text);
  std::vector<Frame> frames = CallsOf(stack, place.function);
  frames.insert(frames.begin(), place);
  return frames;
}

std::string LinesBehind(const CallStack& stack, std::string_view text) {
  return stack.has_place ? ::LinesOf(CallsOf(stack, PlaceIn(stack, text).function)) : "";
}

std::vector<Frame> FramesIn(std::string_view text) {
  std::vector<Frame> frames;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (std::optional<Frame> frame = FrameIn(text.substr(0, end))) {
      frames.push_back(*std::move(frame));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return frames;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

extern "C" const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno,
                                                  const char* func, int cross_ffi_boundary) {
  Pending* made = nullptr;
  try {
    made = &ThreadValue<Pending>::Get();
  } catch (const std::bad_alloc&) {
    static constexpr TVMFFIByteArray kNone{"", 0};
    return &kNone;
  }
  Pending& pending = *made;
  pending.count = 0;
  pending.stack.cross_ffi_boundary = cross_ffi_boundary != 0;
  _Unwind_Backtrace(Collect, &pending);
  // The first frame is this function.
  if (pending.count > 0) {
    std::copy(pending.addresses + 1, pending.addresses + pending.count, pending.addresses);
    --pending.count;
  }
  try {
    pending.stack.has_place = filename != nullptr;
    if (filename != nullptr) {
      const std::string_view file = filename, function = func == nullptr ? "<unknown>" : func;
      pending.stack.file_size = file.size();
      pending.stack.function_size = function.size();
      pending.stack.line = lineno;
      ffi::Message line;
      pending.text = AppendLine(line, file, lineno, function).take();
    } else {
      // Without a location the calls are all there is to show.
      pending.text = LinesOf(CallsOf(PendingStack(pending), ""));
    }
  } catch (...) {
    pending.text.clear();  // An error without a backtrace is better than none.
    pending.stack.has_place = false;
  }
  pending.bytes = {pending.text.data(), pending.text.size()};
  return &pending.bytes;
}
