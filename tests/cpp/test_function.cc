// SPDX-License-Identifier: Apache-2.0
// Rows: R5, R6
// function.h: typed and packed functions, the global table, arity, errors, threads, the export
// macro.
#include <tvm/ffi/expected.h>
#include <tvm/ffi/tvm_ffi.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

ffi::Function Global(std::string_view name) { return ffi::Function::GetGlobalRequired(name); }

int plain(int x) { return x + 1; }
int never_throws(int x) noexcept { return x + 2; }

}  // namespace

// Function pointers, lambdas and functors can be wrapped, including noexcept ones.
void anything_callable() {
  struct Functor {
    int operator()(int x) { return x + ++calls; }
    int calls = 0;
  };
  EXPECT_EQ(ffi::Function::FromTyped(plain)(1).cast<int>(), 2);
  EXPECT_EQ(ffi::Function::FromTyped(&plain)(1).cast<int>(), 2);
  EXPECT_EQ(ffi::Function::FromTyped(never_throws)(1).cast<int>(), 3);
  EXPECT_EQ(ffi::Function::FromTyped([](int x) { return x + 3; })(1).cast<int>(), 4);
  EXPECT_EQ(ffi::Function::FromTyped([](int x) noexcept { return x + 4; })(1).cast<int>(), 5);
  EXPECT_EQ(
      ffi::Function::FromTyped([n = 0](int x) mutable noexcept { return x + ++n; })(1).cast<int>(),
      2);
  ffi::Function functor = ffi::Function::FromTyped(Functor{});
  functor(1);
  EXPECT_EQ(functor(1).cast<int>(), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_anything_callable, anything_callable);

// A function without a result returns None.
void no_result() {
  int calls = 0;
  ffi::Any result = ffi::Function::FromTyped([&calls] { ++calls; })();
  EXPECT(result == nullptr);
  EXPECT_EQ(calls, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_no_result, no_result);

// Parameters are values, const references, const values and rvalue references.
void parameter_forms() {
  ffi::Function f =
      ffi::Function::FromTyped([](std::string a, const std::string& b, const std::string c,
                                  std::string&& d) { return a + b + c + std::move(d); });
  EXPECT_EQ(f("a", "b", "c", "d").cast<std::string>(), std::string("abcd"));
  const ffi::Shape shape{1};
  ffi::Function count = ffi::Function::FromTyped([](const ffi::Shape& x) { return x.use_count(); });
  EXPECT_EQ(count(shape).cast<int>(), 2);
  ffi::Function any = ffi::Function::FromTyped([](ffi::AnyView a, const ffi::Any& b, ffi::Any c) {
    return a.cast<int>() + b.cast<int>() + c.cast<int>();
  });
  EXPECT_EQ(any(1, 2, 3).cast<int>(), 6);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_parameter_forms, parameter_forms);

// Move-only state lives in the function and is destroyed with it, once.
void move_only_state() {
  struct Counted {
    std::atomic<int>* deaths;
    explicit Counted(std::atomic<int>* where) : deaths(where) {}
    ~Counted() { ++*deaths; }
  };
  std::atomic<int> deaths{0};
  {
    ffi::Function f = ffi::Function::FromTyped(
        [state = std::make_unique<Counted>(&deaths)] { return state != nullptr; });
    ffi::Function copy = f;
    f = ffi::Function();
    EXPECT(copy().cast<bool>());
    EXPECT_EQ(deaths.load(), 0);
  }
  EXPECT_EQ(deaths.load(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_move_only_state, move_only_state);

// An argument moved into the result keeps its one reference.
void moved_results() {
  ffi::Function pass = ffi::Function::FromTyped([](ffi::Shape x) { return x; });
  ffi::Shape shape{1, 2};
  {
    ffi::Any result = pass(shape);
    EXPECT_EQ(shape.use_count(), 2);
    EXPECT(result.cast<ffi::Shape>().same_as(shape));
  }
  EXPECT(shape.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_moved_results, moved_results);

// A packed function sees every argument as passed and sets its result.
void packed() {
  ffi::Function f = ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
    std::string types;
    for (int32_t i = 0; i < args.size(); ++i) types += args[i].GetTypeKey() + " ";
    EXPECT_EQ(args.data()->type_index(), int32_t{kTVMFFIInt});
    *result = types;
  });
  EXPECT_EQ(f(1, 2.0, "x", nullptr, true, ffi::Shape()).cast<std::string>(),
            std::string("int float str None bool Shape "));
  ffi::Function none =
      ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any*) { EXPECT_EQ(args.size(), 0); });
  EXPECT(none() == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_packed, packed);

// A wrong number of arguments is a TypeError with the signature; trailing Optionals may be
// omitted.
void arity() {
  using Int = ffi::Optional<int>;
  ffi::Function one = ffi::Function::FromTyped([](int64_t) {}, "one");
  EXPECT_THROWS("TypeError: one(int) -> None: expected 1 argument, got 0", one());
  EXPECT_THROWS("TypeError: one(int) -> None: expected 1 argument, got 2", one(1, 2));
  ffi::Function sum = ffi::Function::FromTyped(
      [](int64_t a, Int b, Int c) { return a + b.value_or(10) + c.value_or(100); }, "sum");
  EXPECT_EQ(sum(1).cast<int>(), 111);
  EXPECT_EQ(sum(1, 2).cast<int>(), 103);
  EXPECT_EQ(sum(1, nullptr, 3).cast<int>(), 14);
  EXPECT_EQ(sum(1, 2, 3).cast<int>(), 6);
  EXPECT_THROWS(
      "TypeError: sum(int, Optional[int of 32 bits], Optional[int of 32 bits]) -> int: "
      "expected 1 to 3 arguments, got 0",
      sum());
  EXPECT_THROWS(
      "TypeError: sum(int, Optional[int of 32 bits], Optional[int of 32 bits]) -> int: "
      "expected 1 to 3 arguments, got 4",
      sum(1, 2, 3, 4));
  ffi::Function inner = ffi::Function::FromTyped([](Int, int64_t b) { return b; }, "inner");
  EXPECT_THROWS(
      "TypeError: inner(Optional[int of 32 bits], int) -> int: expected 2 arguments, got 1",
      inner(nullptr));
  EXPECT_EQ(inner(nullptr, 4).cast<int>(), 4);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_arity, arity);

// The first argument of a wrong type is reported with its position, the expected and actual types.
void wrong_types() {
  ffi::Function f = ffi::Function::FromTyped(
      [](ffi::TensorView, double, uint8_t, const ffi::Function&) { return DLDevice{kDLCPU, 0}; },
      "f");
  float data[1];
  int64_t shape[1] = {1};
  DLTensor tensor{data, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  ffi::Function g = ffi::Function::FromTyped(plain);
  const std::string start =
      "TypeError: f(Tensor, float, unsigned int of 8 bits, Function) -> Device: argument ";
  EXPECT_EQ(f(&tensor, 1, 255, g).cast<DLDevice>(), (DLDevice{kDLCPU, 0}));
  EXPECT_THROWS(start + "0: expected Tensor, got int 3", f(3, "no", 255, g));
  EXPECT_THROWS(start + "1: expected float, got str", f(&tensor, "no", 255, g));
  EXPECT_THROWS(start + "2: expected unsigned int of 8 bits, got int 256", f(&tensor, 1, 256, g));
  EXPECT_THROWS(start + "3: expected Function, got dtype",
                f(&tensor, 1, 255, DLDataType{kDLInt, 8, 1}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_wrong_types, wrong_types);

// The table returns what was registered; a name in use is rejected unless it may be replaced.
void global_table() {
  const char* name = "test_function.table";
  EXPECT(!ffi::Function::GetGlobal(name).has_value());
  EXPECT_THROWS(
      "ValueError: Function::GetGlobalRequired: expected a registered name, got "
      "\"test_function.table\"",
      Global(name));
  ffi::Function first = ffi::Function::FromTyped([] { return 1; });
  ffi::Function second = ffi::Function::FromTyped([] { return 2; });
  ffi::Function::SetGlobal(name, first);
  EXPECT(Global(name).same_as(first));
  EXPECT_THROWS(
      "ValueError: global function: name: expected an unused name, got "
      "\"test_function.table\"",
      ffi::Function::SetGlobal(name, second));
  EXPECT_EQ(Global(name)().cast<int>(), 1);
  ffi::Function::SetGlobal(name, second, true);
  EXPECT_EQ(Global(name)().cast<int>(), 2);
  EXPECT(first.unique());
  EXPECT(Global("ffi.FunctionRemoveGlobal")(name).cast<bool>());
  EXPECT(!Global("ffi.FunctionRemoveGlobal")(name).cast<bool>());
  EXPECT(!ffi::Function::GetGlobal(name).has_value());
  EXPECT(second.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_table, global_table);

// The list of names has each registered name once, and rejects an index past its end.
void global_names() {
  ffi::Function::SetGlobal("test_function.listed", ffi::Function::FromTyped(plain), true);
  ffi::Function names = Global("ffi.FunctionListGlobalNamesFunctor")().cast<ffi::Function>();
  const int64_t count = names(-1).cast<int64_t>();
  int found = 0;
  for (int64_t i = 0; i < count; ++i) {
    found += names(i).cast<std::string>() == "test_function.listed";
  }
  EXPECT_EQ(found, 1);
  EXPECT_THROWS_WITH("IndexError: ffi.FunctionListGlobalNamesFunctor: expected an index below ",
                     names(count));
  Global("ffi.FunctionRemoveGlobal")("test_function.listed");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_names, global_names);

// A function may use the table while the table releases it.
void release_uses_the_table() {
  struct UsesTable {
    bool* found;
    ~UsesTable() { *found = ffi::Function::GetGlobal("ffi.FunctionRemoveGlobal").has_value(); }
  };
  const char* name = "test_function.release";
  bool found_on_override = false, found_on_removal = false;
  auto add = [name](bool* found) {
    auto state = std::shared_ptr<UsesTable>(new UsesTable{found});
    ffi::Function::SetGlobal(name, ffi::Function::FromTyped([state] {}), true);
  };
  add(&found_on_override);
  add(&found_on_removal);
  EXPECT(found_on_override);
  Global("ffi.FunctionRemoveGlobal")(name);
  EXPECT(found_on_removal);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_release_uses_the_table, release_uses_the_table);

// NULL instead of borrowed text, bytes or a tensor is an error that names function and argument.
void lent_nulls() {
  const auto lent = [](int32_t type_index, const void* address) {
    TVMFFIAny any{};
    any.type_index = type_index;
    any.v_ptr = const_cast<void*>(address);
    return ffi::AnyView::CopyFromTVMFFIAny(any);
  };
  const TVMFFIByteArray broken{nullptr, 3};
  const ffi::AnyView text = lent(kTVMFFIRawStr, nullptr);
  const ffi::AnyView bytes = lent(kTVMFFIByteArrayPtr, nullptr);
  const ffi::AnyView broken_bytes = lent(kTVMFFIByteArrayPtr, &broken);
  const ffi::AnyView tensor = lent(kTVMFFIDLTensorPtr, nullptr);
  const auto takes_dtype = ffi::Function::FromTyped([](DLDataType) {}, "f");
  EXPECT_THROWS("TypeError: f(dtype) -> None: argument 0: expected dtype, got NULL",
                takes_dtype(text));
  const auto takes_text = ffi::Function::FromTyped([](int, const std::string&) {}, "f");
  EXPECT_THROWS("TypeError: f(int of 32 bits, str) -> None: argument 1: expected str, got NULL",
                takes_text(1, text));
  const auto takes_bytes = ffi::Function::FromTyped([](const ffi::Bytes&) {}, "f");
  const auto takes_any = ffi::Function::FromTyped([](const ffi::Any&) {}, "f");
  for (const ffi::AnyView& value : {bytes, broken_bytes}) {
    EXPECT_THROWS("TypeError: f(bytes) -> None: argument 0: expected bytes, got NULL",
                  takes_bytes(value));
    EXPECT_THROWS("TypeError: f(Any) -> None: argument 0: expected Any, got NULL",
                  takes_any(value));
  }
  EXPECT_THROWS("TypeError: f(Any) -> None: argument 0: expected Any, got NULL", takes_any(text));
  const auto takes_tensor = ffi::Function::FromTyped([](ffi::TensorView) {}, "f");
  EXPECT_THROWS("TypeError: f(Tensor) -> None: argument 0: expected Tensor, got NULL",
                takes_tensor(tensor));
  const TVMFFIByteArray empty{nullptr, 0};
  takes_bytes(lent(kTVMFFIByteArrayPtr, &empty));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_lent_nulls, lent_nulls);

// Registration with TVMFFIFunctionSetGlobalFromMethodInfo keeps the metadata; values that are not
// functions are rejected.
void global_from_method_info() {
  ffi::Function function = ffi::Function::FromTyped(plain);
  TVMFFIMethodInfo info{};
  info.name = {"test_function.described", 23};
  info.metadata = {"{\"a\":1}", 7};
  info.method = ffi::AnyView(function).CopyToTVMFFIAny();
  EXPECT_EQ(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0), 0);
  EXPECT(Global("test_function.described").same_as(function));
  EXPECT_EQ(Global("ffi.GetGlobalFuncMetadata")("test_function.described").cast<std::string>(),
            std::string("{\"a\":1}"));
  EXPECT_THROWS(
      "ValueError: ffi.GetGlobalFuncMetadata: name: expected a registered name, got "
      "\"test_function.none\"",
      Global("ffi.GetGlobalFuncMetadata")("test_function.none"));
  EXPECT_THROWS_WITH("ValueError: global function: name: expected an unused name",
                     TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 0)));
  const ffi::Shape shape;
  for (const ffi::AnyView& value : {ffi::AnyView(5), ffi::AnyView(nullptr), ffi::AnyView(shape)}) {
    info.method = value.CopyToTVMFFIAny();
    EXPECT_THROWS(
        "TypeError: TVMFFIFunctionSetGlobalFromMethodInfo: method: expected a Function, "
        "got " +
            value.GetTypeKey(),
        TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1)));
  }
  Global("ffi.FunctionRemoveGlobal")("test_function.described");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_global_from_method_info, global_from_method_info);

// The C functions reject values that are not functions.
void c_functions_refuse() {
  const ffi::Shape shape;
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIAny result{};
  const TVMFFIByteArray name{"test_function.refused", 21};
  EXPECT_THROWS("ValueError: TVMFFIFunctionCreate: safe_call: expected a function, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCreate(nullptr, nullptr, nullptr, &handle)));
  EXPECT_THROWS("TypeError: TVMFFIFunctionSetGlobal: f: expected a Function, got None",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobal(&name, nullptr, 0)));
  EXPECT_THROWS(
      "TypeError: TVMFFIFunctionSetGlobal: f: expected a Function, got Shape",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionSetGlobal(&name, ffi::ObjectUnsafe::Borrow(shape), 0)));
  EXPECT_THROWS("TypeError: TVMFFIFunctionCall: func: expected a Function, got None",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIFunctionCall(nullptr, nullptr, 0, &result)));
  EXPECT_THROWS("TypeError: TVMFFIFunctionCall: func: expected a Function, got Shape",
                TVM_FFI_CHECK_SAFE_CALL(
                    TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(shape), nullptr, 0, &result)));
  EXPECT_THROWS("ValueError: Function: expected a function, got a null handle", ffi::Function()());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_c_functions_refuse, c_functions_refuse);

// TVMFFIFunctionCall calls as C++ does, and returns -1 with the error raised.
void call_by_c() {
  ffi::Function f = ffi::Function::FromTyped([](int x) {
    TVM_FFI_CHECK(x > 0, ValueError) << "x must be positive, got " << x;
    return x * 2;
  });
  TVMFFIAny args[1] = {ffi::AnyView(4).CopyToTVMFFIAny()};
  TVMFFIAny result{};
  EXPECT_EQ(TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(f), args, 1, &result), 0);
  EXPECT_EQ(ffi::Any::MoveFromTVMFFIAny(result).cast<int>(), 8);
  args[0].v_int64 = -4;
  EXPECT_EQ(TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(f), args, 1, &result), -1);
  EXPECT_THROWS("ValueError: x must be positive, got -4", ffi::detail::ThrowRaised(-1));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_call_by_c, call_by_c);

// An error passes through nested calls unchanged, and objects owned on the way are freed.
void errors_through_nested_calls() {
  const ffi::Shape held{1};
  ffi::Function nested = ffi::Function::FromTyped([](int) { TVM_FFI_THROW(KeyError) << "deep"; });
  for (int depth = 0; depth < 5; ++depth) {
    nested = ffi::Function::FromTyped([nested, held](int x) {
      ffi::Any owned = held;
      nested(x + 1);
    });
  }
  EXPECT_EQ(held.use_count(), 6);
  EXPECT_THROWS("KeyError: deep", nested(0));
  EXPECT_EQ(held.use_count(), 6);
  nested = ffi::Function();
  EXPECT(held.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_errors_through_nested_calls, errors_through_nested_calls);

// An error kept by the host (code -2) passes through C++ as such.
void host_errors_pass_through() {
  ffi::Function f = ffi::Function::FromTyped([] { throw ffi::EnvErrorAlreadySet(); });
  ffi::Function outer = ffi::Function::FromTyped([f] { f(); });
  TVMFFIAny result{};
  EXPECT_EQ(TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(outer), nullptr, 0, &result), -2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_host_errors_pass_through, host_errors_pass_through);

// Recursion works; each call has its own arguments.
void recursion() {
  ffi::Function::SetGlobal(
      "test_function.factorial", ffi::Function::FromTyped([](int64_t n) -> int64_t {
        return n == 0 ? 1 : n * Global("test_function.factorial")(n - 1).cast<int64_t>();
      }));
  EXPECT_EQ(Global("test_function.factorial")(20).cast<int64_t>(), 2432902008176640000);
  Global("ffi.FunctionRemoveGlobal")("test_function.factorial");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_recursion, recursion);

// Many threads call, fail, look up and register at once; each gets its own results and errors.
void threads() {
  constexpr int kThreads = 8, kCalls = 500;
  std::atomic<int> right{0};
  ffi::Function f = ffi::Function::FromTyped([](int x) {
    TVM_FFI_CHECK(x % 2 == 0, ValueError) << "odd " << x;
    return x + 1;
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string name = "test_function.thread" + std::string(1, static_cast<char>('a' + t));
      for (int i = 0; i < kCalls; ++i) {
        ffi::Function::SetGlobal(name, f, true);
        const int x = t * kCalls + i;
        try {
          right += Global(name)(x).cast<int>() == x + 1;
        } catch (const ffi::Error& error) {
          right += error.message() == (ffi::Message().self() << "odd " << x).take();
        }
      }
      Global("ffi.FunctionRemoveGlobal")(name);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right.load(), kThreads * kCalls);
  EXPECT(f.unique());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_threads, threads);

TVM_FFI_DLL_EXPORT_TYPED_FUNC(exported_lambda, [](int64_t x, ffi::Optional<int64_t> y) {
  return x + y.value_or(1);
});
TVM_FFI_DLL_EXPORT_TYPED_FUNC(exported_noexcept, never_throws);

// The macro exports lambdas, commas included, and noexcept functions under their names.
void exported() {
  TVMFFIAny args[2] = {ffi::AnyView(4).CopyToTVMFFIAny(), ffi::AnyView(5).CopyToTVMFFIAny()};
  TVMFFIAny result{};
  EXPECT_EQ(__tvm_ffi_exported_lambda(nullptr, args, 2, &result), 0);
  EXPECT_EQ(result.v_int64, 9);
  EXPECT_EQ(__tvm_ffi_exported_lambda(nullptr, args, 1, &result), 0);
  EXPECT_EQ(result.v_int64, 5);
  EXPECT_EQ(__tvm_ffi_exported_lambda(nullptr, args, 0, &result), -1);
  EXPECT_THROWS(
      "TypeError: exported_lambda(int, Optional[int]) -> int: expected 1 to 2 arguments, "
      "got 0",
      ffi::detail::ThrowRaised(-1));
  EXPECT_EQ(__tvm_ffi_exported_noexcept(nullptr, args, 1, &result), 0);
  EXPECT_EQ(result.v_int64, 6);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_exported, exported);

// A typed function wraps a lambda or any function, is called with its types, and passed as one.
void typed_functions() {
  ffi::TypedFunction<int(int, const std::string&)> repeat(
      [](int n, const std::string& text) { return n * static_cast<int>(text.size()); }, "repeat");
  EXPECT_EQ(repeat(3, "ab"), 6);
  ffi::Function untyped = repeat;
  EXPECT_EQ(untyped(3, "ab").cast<int>(), 6);
  EXPECT_THROWS(
      "TypeError: repeat(int of 32 bits, str) -> int of 32 bits: argument 1: expected str, got int "
      "4",
      untyped(3, 4));
  ffi::Function apply = ffi::Function::FromTyped(
      [](const ffi::TypedFunction<int(int)>& f, int x) { return f(f(x)); }, "apply");
  EXPECT_EQ(apply(ffi::Function::FromTyped(plain), 1).cast<int>(), 3);
  EXPECT_EQ(apply(ffi::TypedFunction<int(int)>(plain), 1).cast<int>(), 3);
  EXPECT_THROWS(
      "TypeError: apply(Function, int of 32 bits) -> int of 32 bits: argument 0: expected "
      "Function, got int 5",
      apply(5, 1));
  ffi::TypedFunction<int()> lies = ffi::Function::FromTyped([] { return "text"; });
  EXPECT_THROWS("TypeError: Any: expected int of 32 bits, got str", lies());
  int calls = 0;
  ffi::TypedFunction<void()> nothing = [&calls] { ++calls; };
  EXPECT(nothing != nullptr && !(nothing == nullptr));
  EXPECT_EQ(ffi::TypeTraits<ffi::TypedFunction<int(bool)>>::TypeSchema(),
            std::string(R"({"type":"ffi.Function","named_args":{"return":[{"type":"int"}],)"
                        R"("params":[{"type":"bool"}]}})"));
  nothing();
  EXPECT_EQ(calls, 1);
  nothing = nullptr;
  EXPECT(nothing == nullptr && nothing.packed() == nullptr);
  EXPECT_THROWS("ValueError: Function: expected a function, got a null handle", nothing());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_typed_functions, typed_functions);

// Packed functions take their arguments in either form, and pass on parts of them.
void packed_forms() {
  ffi::Function raw =
      ffi::Function::FromPacked([](const ffi::AnyView* args, int32_t n, ffi::Any* result) {
        *result = args[0].cast<int>() + n;
      });
  EXPECT_EQ(raw(5, 6).cast<int>(), 7);
  ffi::Function sum = ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
    int64_t total = 0;
    for (int32_t i = 0; i < args.size(); ++i) total += args[i].cast<int64_t>();
    *result = total;
  });
  EXPECT_EQ(sum(1, 2, 3).cast<int64_t>(), 6);
  ffi::Function rest([sum](ffi::PackedArgs args, ffi::Any* result) {
    sum.CallPacked(args.Slice(1), result);
    EXPECT_EQ(args.Slice(1, 2).size(), 1);
    EXPECT_EQ(args.Slice(args.size()).size(), 0);
  });
  EXPECT_EQ(rest(100, 2, 3).cast<int>(), 5);
  ffi::AnyView views[3];
  ffi::PackedArgs::Fill(views, 1, "two", nullptr);
  EXPECT_EQ(views[1].cast<std::string>(), std::string("two"));
  EXPECT(views[2] == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_packed_forms, packed_forms);

// A C function is wrapped with its state, or called directly; its error is thrown.
void c_functions() {
  auto add = [](void* self, const TVMFFIAny* args, int32_t n, TVMFFIAny* result) -> int {
    if (n != 1) {
      TVMFFIErrorSetRaisedFromCStr("ValueError", "add: expected 1 argument");
      return -1;
    }
    result->type_index = kTVMFFIInt;
    result->v_int64 = args[0].v_int64 + *static_cast<int64_t*>(self);
    return 0;
  };
  int64_t state = 40;
  EXPECT_EQ(ffi::Function::InvokeExternC(&state, add, 2).cast<int>(), 42);
  EXPECT_THROWS("ValueError: add: expected 1 argument", ffi::Function::InvokeExternC(&state, add));
  {
    ffi::Function function = ffi::Function::FromExternC(
        &state, add, [](void* self) { *static_cast<int64_t*>(self) = -1; });
    EXPECT_EQ(function(3).cast<int>(), 43);
  }
  EXPECT_EQ(state, -1);
  EXPECT_THROWS("ValueError: TVMFFIFunctionCreate: safe_call: expected a function, got NULL",
                ffi::Function::FromExternC(nullptr, nullptr, nullptr));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_c_functions, c_functions);

// The names of the global functions can be stored, and a function can be removed.
void list_and_remove() {
  ffi::Function::SetGlobal("my_library.add_one", ffi::Function::FromTyped(plain));
  EXPECT_EQ(ffi::Function::GetGlobalRequired("my_library.add_one")(1).cast<int>(), 2);
  std::vector<ffi::String> names = ffi::Function::ListGlobalNames();
  EXPECT(std::find(names.begin(), names.end(), "my_library.add_one") != names.end());
  EXPECT(ffi::Function::RemoveGlobal("my_library.add_one"));
  EXPECT(!ffi::Function::GetGlobal("my_library.add_one").has_value());
  EXPECT(!ffi::Function::RemoveGlobal("my_library.add_one"));
  size_t count = 0;
  for (const ffi::String& name : ffi::Function::ListGlobalNames()) count += name.size() > 0;
  EXPECT_EQ(count, names.size() - 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_list_and_remove, list_and_remove);

// A call that returns an Expected returns the error instead of throwing it.
void call_expected() {
  ffi::Function f = ffi::Function::FromTyped(
      [](int x) {
        TVM_FFI_CHECK(x > 0, ValueError) << "f: expected a positive x, got " << x;
        return x;
      },
      "f");
  EXPECT_EQ(f.CallExpected<int>(3).value(), 3);
  EXPECT_EQ(f.CallExpected<int>(0).error().message(),
            std::string("f: expected a positive x, got 0"));
  EXPECT_EQ(f.CallExpected<int>().error().kind(), std::string("TypeError"));
  EXPECT(f.CallExpected<ffi::String>(3).is_err());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_call_expected, call_expected);

// If the result replaces a value that is also an argument, the argument lives until the end of
// the call; a failed call leaves the value unchanged.
void result_in_place_of_an_argument() {
  const auto echo = ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
    EXPECT_EQ(args[0].cast<ffi::String>(), "a string that is too long to stand in a value");
    if (args.size() == 2) TVM_FFI_THROW(ValueError) << "no";
    *result = args[0].cast<ffi::String>().size();
  });
  ffi::Any value = ffi::String("a string that is too long to stand in a value");
  const ffi::Any same = value;
  const ffi::AnyView args[] = {value, 1};
  EXPECT_THROWS("ValueError: no", echo.CallPacked(args, 2, &value));
  EXPECT(value.same_as(same));
  echo.CallPacked(args, 1, &value);
  EXPECT_EQ(value.cast<int>(), 45);
  value = ffi::Function(echo);
  const auto count = ffi::Function::FromPacked([](ffi::PackedArgs args, ffi::Any* result) {
    *result = args[0].cast<ffi::Function>().use_count();
  });
  const ffi::AnyView one[] = {value};
  // `echo`, `value`, and the callee's own.
  count.CallPacked(one, 1, &value);
  EXPECT_EQ(value.cast<int>(), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_result_in_place_of_an_argument, result_in_place_of_an_argument);

// A call within a library throws the same as one across libraries: errors, whatever was thrown.
void throws_alike_on_either_side() {
  const auto throwing = [](auto thrown) {
    return ffi::Function::FromTyped([thrown] { throw thrown; });
  };
  const ffi::Function functions[] = {throwing(ffi::Error("KeyError", "k", "")),
                                     throwing(std::runtime_error("r")), throwing(7)};
  for (const ffi::Function& local : functions) {
    const auto message = [](const auto& call) -> std::string {
      try {
        call();
      } catch (const ffi::Error& error) {
        return std::string(error.kind()) + ": " + std::string(error.message());
      }
      return "none";
    };
    // Callers do not treat a wrapper of a C function as a function of this library.
    const ffi::Function foreign = ffi::Function::FromExternC(
        const_cast<ffi::FunctionObj*>(local.get()), local.get()->safe_call, nullptr);
    EXPECT(message(local) != "none");
    EXPECT_EQ(message(local), message(foreign));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_throws_alike_on_either_side, throws_alike_on_either_side);
