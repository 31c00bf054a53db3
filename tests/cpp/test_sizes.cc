// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// Sizes that no memory can hold are errors that name the argument; nothing overflows.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

constexpr size_t kMostBytes = PTRDIFF_MAX / 2 - 1024;
constexpr char kText[] = "a text of 24 characters.";

// The error raised by a function that returns a code.
std::string raised_by(int code) {
  return error_of([&] { TVM_FFI_CHECK_SAFE_CALL(code); });
}

int nothing(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; }

int register_field(const TVMFFIByteArray* name, const TVMFFIByteArray* doc,
                   const TVMFFIByteArray* metadata) {
  TVMFFIFieldInfo info{};
  info.name = *name;
  info.doc = *doc;
  info.metadata = *metadata;
  return TVMFFITypeRegisterField(kTVMFFIObject, &info);
}

int register_function(const TVMFFIByteArray* name, const TVMFFIByteArray* doc,
                      const TVMFFIByteArray* metadata) {
  const ffi::Function function = ffi::Function::FromExternC(nullptr, nothing, nullptr);
  TVMFFIMethodInfo info{};
  info.name = *name;
  info.doc = *doc;
  info.metadata = *metadata;
  info.method = ffi::AnyView(function).CopyToTVMFFIAny();
  return TVMFFIFunctionSetGlobalFromMethodInfo(&info, 1);
}

// Each function that takes a text with its size, with the beginning of its messages.
using Call = std::function<int(const TVMFFIByteArray*)>;
std::vector<std::pair<std::string, Call>> calls_with_text() {
  static const TVMFFIByteArray short_text{"short", 5};
  static TVMFFIAny any{};
  static TVMFFIObjectHandle handle = nullptr;
  static int32_t index = 0;
  static DLDataType dtype{};
  static const ffi::Function function = ffi::Function::FromExternC(nullptr, nothing, nullptr);
  using Text = const TVMFFIByteArray*;
  return {
      {"TVMFFIStringFromByteArray: input",
       [](Text text) { return TVMFFIStringFromByteArray(text, &any); }},
      {"TVMFFIBytesFromByteArray: input",
       [](Text text) { return TVMFFIBytesFromByteArray(text, &any); }},
      {"TVMFFIBigIntFromByteArray: input",
       [](Text text) { return TVMFFIBigIntFromByteArray(text, &any); }},
      {"TVMFFIAnyViewToOwnedAny: any_view",
       [](Text text) {
         TVMFFIAny view{};
         view.type_index = kTVMFFIByteArrayPtr;
         view.v_ptr = const_cast<TVMFFIByteArray*>(text);
         return TVMFFIAnyViewToOwnedAny(&view, &any);
       }},
      {"TVMFFIDataTypeFromString: str",
       [](Text text) { return TVMFFIDataTypeFromString(text, &dtype); }},
      {"TVMFFITypeKeyToIndex: type_key",
       [](Text text) { return TVMFFITypeKeyToIndex(text, &index); }},
      {"TVMFFITypeGetOrAllocIndex: type_key",
       [](Text text) { return TVMFFITypeGetOrAllocIndex(text, -1, 1, 0, 1, kTVMFFIObject); }},
      {"TVMFFITypeRegisterAttr: attr_name",
       [](Text text) { return TVMFFITypeRegisterAttr(kTVMFFIObject, text, &any); }},
      {"TVMFFIGetTypeAttrColumn: attr_name",
       [](Text text) { return TVMFFIGetTypeAttrColumn(text) == nullptr ? -1 : 0; }},
      {"TVMFFIFunctionGetGlobal: name",
       [](Text text) { return TVMFFIFunctionGetGlobal(text, &handle); }},
      {"TVMFFIFunctionSetGlobal: name",
       [](Text text) {
         return TVMFFIFunctionSetGlobal(text, ffi::ObjectUnsafe::Borrow(function), 1);
       }},
      {"TVMFFIFunctionSetGlobalFromMethodInfo: name",
       [](Text text) { return register_function(text, &short_text, &short_text); }},
      {"TVMFFIFunctionSetGlobalFromMethodInfo: doc",
       [](Text text) { return register_function(&short_text, text, &short_text); }},
      {"TVMFFIFunctionSetGlobalFromMethodInfo: metadata",
       [](Text text) { return register_function(&short_text, &short_text, text); }},
      {"TVMFFITypeRegisterField: name",
       [](Text text) { return register_field(text, &short_text, &short_text); }},
      {"TVMFFITypeRegisterField: doc",
       [](Text text) { return register_field(&short_text, text, &short_text); }},
      {"TVMFFITypeRegisterField: metadata",
       [](Text text) { return register_field(&short_text, &short_text, text); }},
      {"TVMFFITypeRegisterMethod: name",
       [](Text text) {
         TVMFFIMethodInfo info{};
         info.name = *text;
         return TVMFFITypeRegisterMethod(kTVMFFIObject, &info);
       }},
      {"TVMFFITypeRegisterMetadata: doc",
       [](Text text) {
         TVMFFITypeMetadata metadata{};
         metadata.doc = *text;
         return TVMFFITypeRegisterMetadata(kTVMFFIOpaquePyObject, &metadata);
       }},
  };
}

// An object with extra space after it.
class RowObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("tests.Row", RowObj, ffi::Object)
};

}  // namespace

// A text size that is impossible is rejected, including -1, which would overflow to a small one.
void impossible_texts() {
  for (const auto& [where, call] : calls_with_text()) {
    for (const size_t size : {SIZE_MAX, SIZE_MAX - 31, size_t{1} << 62, kMostBytes + 1}) {
      const TVMFFIByteArray text{kText, size};
      EXPECT_EQ(raised_by(call(&text)), "ValueError: " + where + ": expected at most " +
                                            std::to_string(kMostBytes) + " bytes, got " +
                                            std::to_string(size));
    }
  }
  EXPECT_THROWS_WITH("ValueError: TVMFFIStringFromByteArray: input: expected at most",
                     ffi::String(kText, SIZE_MAX));
  EXPECT_THROWS_WITH("ValueError: TVMFFIBytesFromByteArray: input: expected at most",
                     ffi::Bytes(kText, SIZE_MAX));
  for (const size_t size : {SIZE_MAX, size_t{1} << 63}) {
    const TVMFFIByteArray text{kText, size}, kind{"ValueError", 10};
    TVMFFIObjectHandle error = nullptr;
    EXPECT_EQ(TVMFFIErrorCreate(&text, &kind, nullptr, &error), -1);
    EXPECT_EQ(TVMFFIErrorCreate(&kind, &text, nullptr, &error), -1);
    EXPECT_EQ(TVMFFIErrorCreate(&kind, &kind, &text, &error), -1);
    EXPECT(error == nullptr);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_impossible_texts, impossible_texts);

// A possible text size for which no machine has memory is rejected before the text is read.
void texts_beyond_memory() {
  for (const auto& [where, call] : calls_with_text()) {
    if (where == "TVMFFIDataTypeFromString: str") continue;  // reads at most a dtype's length
    for (const size_t size : {kMostBytes, size_t{1} << 61, size_t{1} << 56}) {
      const TVMFFIByteArray text{kText, size};
      EXPECT_EQ(raised_by(call(&text)), std::string("MemoryError: std::bad_alloc")) << where;
    }
  }
  const TVMFFIByteArray text{kText, size_t{1} << 62}, kind{"ValueError", 10};
  TVMFFIObjectHandle error = nullptr;
  EXPECT_EQ(TVMFFIErrorCreate(&kind, &text, nullptr, &error), -1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_texts_beyond_memory, texts_beyond_memory);

// The same for element counts whose size in bytes exceeds 64 bits.
void impossible_numbers_of_elements() {
  const int64_t extent = 1;
  for (const size_t size : {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2, SIZE_MAX / 16 + 1}) {
    EXPECT_EQ(error_of([&] { ffi::Shape shape{ffi::ShapeView(&extent, size)}; }),
              "ValueError: Shape: expected a number of extents that fits into memory, got " +
                  std::to_string(size));
    bool refused = false;
    try {
      ffi::make_inplace_array_object<RowObj, int64_t>(size);
    } catch (const std::bad_alloc&) {
      refused = true;
    }
    EXPECT(refused) << size;
  }
  for (const int64_t size : {INT64_MAX, INT64_MAX / 16 + 1, INT64_MAX / 32 + 1}) {
    const std::string expected =
        ": expected a number of elements that is not negative and fits into memory, got " +
        std::to_string(size);
    EXPECT_EQ(error_of([&] { ffi::Array<int>().reserve(size); }), "ValueError: Array" + expected);
    EXPECT_EQ(error_of([&] { ffi::List<int>().reserve(size); }), "ValueError: List" + expected);
    EXPECT_EQ(error_of([&] { ffi::Array<int>(static_cast<size_t>(size), 1); }),
              "ValueError: Array" + expected);
  }
  const ffi::ObjectPtr<ffi::MapObj> map = ffi::make_object<ffi::MapObj>();
  for (const size_t size : {SIZE_MAX, SIZE_MAX / 100 + 1, size_t{1} << 40}) {
    EXPECT_THROWS_WITH("ValueError: Map: expected room for at most", map->reserve(size));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_impossible_numbers_of_elements, impossible_numbers_of_elements);

// The object allocator adds to the requested size.
void impossible_objects() {
  TVMFFICustomAllocator* allocator = TVMFFIGetCustomAllocator();
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 16, SIZE_MAX - 40, SIZE_MAX / 2 + 1}) {
    void* memory = allocator->allocate(size, 16, kTVMFFIObject, allocator->context);
    EXPECT(memory == nullptr) << size;
    EXPECT_EQ(raised_by(-1), std::string("MemoryError: out of memory for an object"));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_impossible_objects, impossible_objects);

// A tensor's extents are not negative, and its strides, which are their products, fit into 64
// bits.
void impossible_extents() {
  int64_t shape[3] = {};
  DLManagedTensorVersioned managed{};
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.dl_tensor.device = {kDLCPU, 0};
  managed.dl_tensor.dtype = {kDLFloat, 32, 1};
  managed.dl_tensor.ndim = 3;
  managed.dl_tensor.shape = shape;
  DLManagedTensor old{};
  old.dl_tensor = managed.dl_tensor;
  const ffi::Shape owner({1});
  TVMFFIObjectHandle handle = nullptr;
  const auto expect_refused = [&](const std::string& expected) {
    EXPECT_EQ(raised_by(TVMFFITensorFromDLPack(&old, 0, 0, &handle)),
              "ValueError: TVMFFITensorFromDLPack: from: " + expected);
    EXPECT_EQ(raised_by(TVMFFITensorFromDLPackVersioned(&managed, 0, 1, &handle)),
              "ValueError: TVMFFITensorFromDLPackVersioned: from: " + expected);
    EXPECT_EQ(raised_by(TVMFFITensorCreateUnsafeView(ffi::ObjectUnsafe::Borrow(owner),
                                                     &managed.dl_tensor, &handle)),
              "ValueError: TVMFFITensorCreateUnsafeView: prototype: " + expected);
  };
  shape[0] = 2, shape[1] = -1, shape[2] = 3;
  expect_refused("expected extents that are not negative, got shape (2, -1, 3)");
  shape[0] = 0, shape[1] = int64_t{1} << 40, shape[2] = int64_t{1} << 40;
  expect_refused(
      "expected strides that fit in 64 bits, got shape (0, 1099511627776, 1099511627776)");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_impossible_extents, impossible_extents);
