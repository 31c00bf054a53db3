// SPDX-License-Identifier: Apache-2.0
// C++ loops that use the headers, built once with ours and once with the published ones.
//
// Each function repeats one operation `times` times; calls.py divides by that number.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cstdlib>
#include <string>

namespace ffi = tvm::ffi;

namespace {

// Keeps the compiler from eliminating the code that produced `value`.
template <typename T>
void keep(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

class NodeObj : public ffi::Object {
 public:
  int64_t x = 3;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("cpp_library.Node", NodeObj, ffi::Object);
};

struct OnHeap {
  void AllocData(DLTensor* tensor) { tensor->data = std::malloc(64); }
  void FreeData(DLTensor* tensor) { std::free(tensor->data); }
};

void custom_tensor(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Tensor made =
        ffi::Tensor::FromNDAlloc(OnHeap(), ffi::Shape({4, 4}), {kDLFloat, 32, 1}, {kDLCPU, 0});
    keep(made);
  }
}

void call_packed(int64_t times) {
  static const ffi::Function function = ffi::Function::FromPacked(
      [](const ffi::AnyView* args, int32_t, ffi::Any* result) { *result = args[0]; });
  for (int64_t i = 0; i < times; ++i) {
    const ffi::AnyView arguments[] = {i};
    ffi::Any result;
    function.CallPacked(arguments, 1, &result);
    keep(result);
  }
}

void call_typed(int64_t times) {
  static const ffi::Function function = ffi::Function::FromTyped([](int64_t x) { return x + 1; });
  for (int64_t i = 0; i < times; ++i) {
    ffi::Any result = function(i);
    keep(result);
  }
}

void call_typed_function(int64_t times) {
  static const ffi::TypedFunction<int64_t(int64_t)> function([](int64_t x) { return x + 1; });
  for (int64_t i = 0; i < times; ++i) {
    int64_t result = function(i);
    keep(result);
  }
}

void call_with_tensor(int64_t times) {
  static const ffi::Function function =
      ffi::Function::FromTyped([](ffi::TensorView x) { return x.ndim(); });
  static const ffi::Tensor tensor = ffi::Tensor::FromNDAlloc(
      OnHeap(), ffi::Shape({4, 4}), DLDataType{kDLFloat, 32, 1}, DLDevice{kDLCPU, 0});
  for (int64_t i = 0; i < times; ++i) {
    ffi::Any result = function(tensor);
    keep(result);
  }
}

void make_function(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Function function = ffi::Function::FromTyped([i](int64_t x) { return x + i; });
    keep(function);
  }
}

void global_function(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Function function = ffi::Function::GetGlobalRequired("ffi.FunctionRemoveGlobal");
    keep(function);
  }
}

void array_of_8(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Array<int64_t> made = {i, 1, 2, 3, 4, 5, 6, 7};
    keep(made);
  }
}

void array_push_8(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Array<int64_t> made;
    for (int64_t k = 0; k < 8; ++k) made.push_back(k);
    keep(made);
  }
}

void array_read_8(int64_t times) {
  static const ffi::Array<int64_t> array = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int64_t i = 0; i < times; ++i) {
    int64_t sum = 0;
    for (int64_t value : array) sum += value;
    keep(sum);
  }
}

void list_push_8(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::List<int64_t> made;
    for (int64_t k = 0; k < 8; ++k) made.push_back(k);
    keep(made);
  }
}

void heap_string(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::String made("the name of one kernel");
    keep(made);
  }
}

void small_string(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::String made("kernel");
    keep(made);
  }
}

void copy_string(int64_t times) {
  static const ffi::String text("the name of one kernel");
  for (int64_t i = 0; i < times; ++i) {
    ffi::String copy = text;
    keep(copy);
  }
}

void shape_of_4(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Shape made({i, 2, 3, 4});
    keep(made);
  }
}

void make_object(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::ObjectPtr<NodeObj> made = ffi::make_object<NodeObj>();
    keep(made);
  }
}

void copy_any(int64_t times) {
  static const ffi::Any any = ffi::Any(ffi::make_object<NodeObj>());
  for (int64_t i = 0; i < times; ++i) {
    ffi::Any copy = any;
    keep(copy);
  }
}

void own_view(int64_t times) {
  static const ffi::Any any = ffi::Any(ffi::make_object<NodeObj>());
  for (int64_t i = 0; i < times; ++i) {
    ffi::AnyView view = any;
    ffi::Any owned = view;
    keep(owned);
  }
}

void any_of_int(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Any any = i;
    int64_t back = any.cast<int64_t>();
    keep(back);
  }
}

template <int kSize>
const ffi::Map<ffi::String, int64_t>& map_of() {
  static const ffi::Map<ffi::String, int64_t> map = [] {
    ffi::Map<ffi::String, int64_t> made;
    for (int64_t i = 0; i < kSize; ++i) made.Set("the key " + std::to_string(i), i);
    return made;
  }();
  return map;
}

template <int kSize>
void map_look_up(int64_t times) {
  const ffi::Map<ffi::String, int64_t>& map = map_of<kSize>();
  static const ffi::String key("the key 2");
  for (int64_t i = 0; i < times; ++i) {
    int64_t value = map[key];
    keep(value);
  }
}

void map_look_up_int(int64_t times) {
  static const ffi::Map<int64_t, int64_t> map = [] {
    ffi::Map<int64_t, int64_t> made;
    for (int64_t i = 0; i < 100; ++i) made.Set(i, i);
    return made;
  }();
  for (int64_t i = 0; i < times; ++i) {
    int64_t value = map[i % 100];
    keep(value);
  }
}

void map_iterate_100(int64_t times) {
  const ffi::Map<ffi::String, int64_t>& map = map_of<100>();
  for (int64_t i = 0; i < times; ++i) {
    int64_t sum = 0;
    for (const auto& pair : map) sum += pair.second;
    keep(sum);
  }
}

void map_of_8(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    ffi::Map<int64_t, int64_t> made;
    for (int64_t k = 0; k < 8; ++k) made.Set(k, k);
    keep(made);
  }
}

void dict_set(int64_t times) {
  static ffi::Dict<int64_t, int64_t> dict;
  for (int64_t i = 0; i < times; ++i) {
    dict.Set(i & 63, i);
    keep(dict);
  }
}

void throw_and_catch(int64_t times) {
  for (int64_t i = 0; i < times; ++i) {
    try {
      TVM_FFI_THROW(ValueError) << "on purpose";
    } catch (const ffi::Error& error) {
      keep(error);
    }
  }
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(custom_tensor, custom_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_packed, call_packed);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_typed, call_typed);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_typed_function, call_typed_function);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_with_tensor, call_with_tensor);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_function, make_function);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(global_function, global_function);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(array_of_8, array_of_8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(array_push_8, array_push_8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(array_read_8, array_read_8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(list_push_8, list_push_8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(heap_string, heap_string);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(small_string, small_string);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(copy_string, copy_string);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shape_of_4, shape_of_4);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_object, make_object);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(copy_any, copy_any);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_view, own_view);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(any_of_int, any_of_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_look_up_4, map_look_up<4>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_look_up_100, map_look_up<100>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_look_up_int, map_look_up_int);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_iterate_100, map_iterate_100);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_of_8, map_of_8);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dict_set, dict_set);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(throw_and_catch, throw_and_catch);
