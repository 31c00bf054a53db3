// SPDX-License-Identifier: Apache-2.0
// Cases: functions, passed in, called back, returned, global; modules.
#include <tvm/ffi/function.h>

#include <memory>
#include <string>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::AnyView;
using ffi::Function;
using ffi::PackedArgs;

Function MakeTyped(int64_t i) {
  return Function::FromTyped(
      [i](int64_t a, double b) -> double { return static_cast<double>(a * i) + b; });
}
void CheckTyped(int64_t i, const Any& value) {
  EXPECT(value.type_index() == kTVMFFIFunction);
  EXPECT(value.cast<Function>()(3, 0.5).cast<double>() == 3.0 * static_cast<double>(i) + 0.5);
}

Function MakePacked(int64_t) {
  return Function::FromPacked([](PackedArgs args, Any* result) { *result = args.size(); });
}
void CheckPacked(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  EXPECT(function().cast<int64_t>() == 0);
  EXPECT(function(nullptr, "text", 1, 2.5, function).cast<int64_t>() == 5);
}

// A function that takes one and gives another: currying.
Function MakeHigherOrder(int64_t) {
  return Function::FromTyped([](Function inner) -> Function {
    return Function::FromTyped(
        [inner](int64_t x) -> int64_t { return inner(inner(x)).cast<int64_t>(); });
  });
}
void CheckHigherOrder(int64_t, const Any& value) {
  Function thrice = Function::FromTyped([](int64_t x) -> int64_t { return 3 * x; });
  EXPECT(value.cast<Function>()(thrice).cast<Function>()(5).cast<int64_t>() == 45);
}

// What a function captured lives as long as the function.
Function MakeCapture(int64_t) {
  auto text = std::make_unique<std::string>(10000, 'x');
  std::shared_ptr<std::string> shared = std::move(text);
  return Function::FromTyped(
      [shared]() -> int64_t { return static_cast<int64_t>(shared->size()); });
}
void CheckCapture(int64_t, const Any& value) {
  Function copy = value.cast<Function>();
  EXPECT(copy().cast<int64_t>() == 10000);
}

// Sixteen arguments of several types.
Function MakeManyArguments(int64_t) {
  return Function::FromTyped([](int64_t a, double b, bool c, ffi::String d, ffi::Bytes e,
                                DLDataType f, DLDevice g, ffi::Shape h, Any i, Function j,
                                ffi::Optional<int64_t> k, int64_t l, int64_t m, int64_t n,
                                int64_t o, void* p) -> int64_t {
    const bool right = b == 0.5 && c && d == "d" && e == "e" && f.bits == 32 &&
                       g.device_type == kDLCPU && h.size() == 2 && i == nullptr && j.defined() &&
                       !k.has_value() && p == nullptr;
    return right ? a + l + m + n + o : -1;
  });
}
void CheckManyArguments(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  const Any sum = function(1, 0.5, true, "d", ffi::Bytes("e", 1), DLDataType{kDLFloat, 32, 1},
                           DLDevice{kDLCPU, 0}, ffi::Shape({1, 2}), nullptr, function, nullptr, 2,
                           3, 4, 5, static_cast<void*>(nullptr));
  EXPECT(sum.cast<int64_t>() == 15);
}

// Registered by the maker, called by the checker.
std::string MakeGlobal(int64_t i) {
  const std::string name = "interop.global" + Text(i);
  Function::SetGlobal(name, Function::FromTyped([i]() -> int64_t { return 100 + i; }), true);
  return name;
}
void CheckGlobal(int64_t i, const Any& value) {
  const auto name = value.cast<std::string>();
  EXPECT(Function::GetGlobalRequired(name)().cast<int64_t>() == 100 + i);
  EXPECT(Function::GetGlobal(name).has_value());
  EXPECT(!Function::GetGlobal("interop.no such function").has_value());
}

// What a function that got wrong arguments says, in any words: the kind is TypeError.
Function MakeWrongArguments(int64_t) { return MakeTyped(1); }
void CheckWrongArguments(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  std::string kinds;
  for (int call = 0; call < 3; ++call) {
    try {
      if (call == 0) function(1);
      if (call == 1) function(1, 2.0, 3);
      if (call == 2) function("one", 2.0);
    } catch (const ffi::Error& error) {
      kinds += std::string(error.kind()) + " ";
    }
  }
  EXPECT(kinds == "TypeError TypeError TypeError ");
}

bool SameFunction(Function a, Function b) { return a.same_as(b); }
Any CallWith(Function function, AnyView argument) { return function(argument); }
Any CallGlobal(std::string name, AnyView argument) {
  return Function::GetGlobalRequired(name)(argument);
}
Function GlobalFunction(std::string name) { return Function::GetGlobalRequired(name); }
void RegisterGlobal(std::string name, Function function) {
  Function::SetGlobal(name, function, true);
}
Function Adder(int64_t n) {
  return Function::FromTyped([n](int64_t x) -> int64_t { return x + n; });
}
int64_t AddOne(int64_t x) { return x + 1; }

}  // namespace

INTEROP_CASE(Typed, 3, "function with types");
INTEROP_CASE(Packed, 1, "function of any arguments");
INTEROP_CASE(HigherOrder, 1, "function that takes one and returns one");
INTEROP_CASE(Capture, 1, "function that owns what it captured");
INTEROP_CASE(ManyArguments, 1, "function of sixteen arguments of many types");
INTEROP_CASE(Global, 2, "global function, registered by one and called by the other");
INTEROP_CASE(WrongArguments, 1, "TypeError of a function that got wrong arguments");

TVM_FFI_DLL_EXPORT_TYPED_FUNC(same_function, SameFunction);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_with, CallWith);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_global, CallGlobal);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(global_function, GlobalFunction);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(register_global, RegisterGlobal);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(adder, Adder);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, AddOne);
