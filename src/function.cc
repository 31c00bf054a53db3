// SPDX-License-Identifier: Apache-2.0
// Function objects and the table of global functions.
#include <tvm/ffi/function.h>

#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arguments.h"
#include "library_pin.h"
#include "locks.h"

namespace ffi = tvm::ffi;

namespace {

// A function whose C function receives the state it was created with, not the object.
class StatefulFunctionObj : public ffi::FunctionObj {
 public:
  StatefulFunctionObj(void* self, TVMFFISafeCallType call, void (*deleter)(void*))
      : library_(reinterpret_cast<const void*>(call)), self_(self), call_(call), deleter_(deleter) {
    safe_call = Call;
    cpp_call = nullptr;
  }

  ~StatefulFunctionObj() {
    TVM_FFI_LOG_EXCEPTION_CALL_BEGIN();
    if (deleter_ != nullptr) deleter_(self_);
    TVM_FFI_LOG_EXCEPTION_CALL_END(TVMFFIFunctionCreate.deleter);
  }

 private:
  static int Call(void* handle, const TVMFFIAny* args, int32_t num_args, TVMFFIAny* result) {
    auto* object = static_cast<StatefulFunctionObj*>(static_cast<ffi::Object*>(handle));
    return object->call_(object->self_, args, num_args, result);
  }

  ffi::LibraryPin library_;  // of the C functions
  void* self_;
  TVMFFISafeCallType call_;
  void (*deleter_)(void*);
};

struct GlobalFunction {
  ffi::Function function;
  std::string metadata;
  std::string doc;
};

class GlobalTable {
 public:
  // Leaked on purpose: functions may be looked up until the process exits.
  static GlobalTable& Get() {
    static auto* table = new GlobalTable();
    return *table;
  }

  void Set(const TVMFFIByteArray& name, GlobalFunction&& entry, bool allow_override) {
    std::string key(name.data, name.size);
    // The replaced function is freed after unlocking: freeing it may run user code.
    std::lock_guard<std::mutex> lock(Lock());
    TVM_FFI_CHECK(allow_override || functions_.count(key) == 0, ValueError)
        << "global function: name: expected an unused name, got \"" << key << "\"";
    std::swap(functions_[key], entry);
  }

  bool Remove(const std::string& name) {
    decltype(functions_)::node_type removed;  // Freed after unlocking, see Set.
    std::lock_guard<std::mutex> lock(Lock());
    removed = functions_.extract(name);
    return !removed.empty();
  }

  std::vector<std::string> Names() {
    std::lock_guard<std::mutex> lock(Lock());
    std::vector<std::string> names;
    for (const auto& item : functions_) names.push_back(item.first);
    return names;
  }

  // One of the texts of the entry `name`; `where` names the caller.
  std::string Text(const char* where, const std::string& name, std::string GlobalFunction::* text) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = functions_.find(name);
    TVM_FFI_CHECK(found != functions_.end(), ValueError)
        << where << ": name: expected a registered name, got \"" << name << "\"";
    return found->second.*text;
  }

  TVMFFIObjectHandle Find(const TVMFFIByteArray& name) {
    std::lock_guard<std::mutex> lock(Lock());
    auto found = functions_.find(std::string(name.data, name.size));
    if (found == functions_.end()) return nullptr;
    ffi::Function copy = found->second.function;
    return ffi::ObjectUnsafe::MoveToOwned(std::move(copy));
  }

 private:
  static std::mutex& Lock() { return ffi::LockOf(ffi::Guarded::kGlobalFunctions); }

  std::unordered_map<std::string, GlobalFunction> functions_;
};

ffi::Function FunctionFrom(const char* where, const TVMFFIAny& any) {
  TVM_FFI_CHECK(any.type_index == kTVMFFIFunction, TypeError)
      << where << ": expected a Function, got " << ffi::detail::TypeName(&any);
  return ffi::Function(ffi::ObjectUnsafe::PtrFromBorrowed<ffi::FunctionObj>(any.v_obj));
}

ffi::Function FunctionFrom(const char* where, TVMFFIObjectHandle handle) {
  TVMFFIAny any{};
  if (handle != nullptr) {
    any.v_obj = static_cast<TVMFFIObject*>(handle);
    any.type_index = any.v_obj->type_index;
  }
  return FunctionFrom(where, any);
}

// The functions by which other languages manage the table.
const bool registered = [] {
  auto set = [](const char* name, auto function) {
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped(function, name));
  };
  set("ffi.FunctionRemoveGlobal",
      [](const std::string& name) { return GlobalTable::Get().Remove(name); });
  set("ffi.GetGlobalFuncMetadata", [](const std::string& name) {
    return GlobalTable::Get().Text("ffi.GetGlobalFuncMetadata", name, &GlobalFunction::metadata);
  });
  set("ffi.GetGlobalFuncDoc", [](const std::string& name) {
    return GlobalTable::Get().Text("ffi.GetGlobalFuncDoc", name, &GlobalFunction::doc);
  });
  // Returns a function from an index to a name in a snapshot of the names; -1 returns their number.
  set("ffi.FunctionListGlobalNamesFunctor", [] {
    return ffi::Function::FromTyped([names = GlobalTable::Get().Names()](int64_t i) -> ffi::Any {
      const auto count = static_cast<int64_t>(names.size());
      if (i == -1) return count;
      TVM_FFI_CHECK(i >= 0 && i < count, IndexError)
          << "ffi.FunctionListGlobalNamesFunctor: expected an index below " << count << ", got "
          << i;
      return names[static_cast<size_t>(i)];
    });
  });
  return true;
}();

}  // namespace

extern "C" {

int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call, void (*deleter)(void* self),
                         TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVM_FFI_CHECK(safe_call != nullptr, ValueError)
      << "TVMFFIFunctionCreate: safe_call: expected a function, got NULL";
  TVMFFIObjectHandle& result = ffi::Given("TVMFFIFunctionCreate: out", out);
  result = ffi::ObjectUnsafe::MoveToOwned(
      ffi::make_object<StatefulFunctionObj>(self, safe_call, deleter));
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args,
                       TVMFFIAny* result) {
  auto* object = static_cast<ffi::Object*>(func);
  if (object != nullptr && object->type_index() == kTVMFFIFunction) {
    return static_cast<ffi::FunctionObj*>(object)->safe_call(func, args, num_args, result);
  }
  TVM_FFI_SAFE_CALL_BEGIN();
  FunctionFrom("TVMFFIFunctionCall: func", func);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out) {
  TVM_FFI_SAFE_CALL_BEGIN();
  TVMFFIObjectHandle& result = ffi::Given("TVMFFIFunctionGetGlobal: out", out);
  ffi::GivenText("TVMFFIFunctionGetGlobal: name", name);
  result = GlobalTable::Get().Find(*name);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle f, int allow_override) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::GivenText("TVMFFIFunctionSetGlobal: name", name);
  GlobalTable::Get().Set(*name, {FunctionFrom("TVMFFIFunctionSetGlobal: f", f), "", ""},
                         allow_override != 0);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* method_info, int allow_override) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::Given("TVMFFIFunctionSetGlobalFromMethodInfo: method_info", method_info);
  ffi::GivenText("TVMFFIFunctionSetGlobalFromMethodInfo: name", &method_info->name);
  GlobalFunction entry{
      FunctionFrom("TVMFFIFunctionSetGlobalFromMethodInfo: method", method_info->method),
      std::string(ffi::GivenText("TVMFFIFunctionSetGlobalFromMethodInfo: metadata",
                                 &method_info->metadata)),
      std::string(ffi::GivenText("TVMFFIFunctionSetGlobalFromMethodInfo: doc", &method_info->doc))};
  GlobalTable::Get().Set(method_info->name, std::move(entry), allow_override != 0);
  TVM_FFI_SAFE_CALL_END();
}
}
