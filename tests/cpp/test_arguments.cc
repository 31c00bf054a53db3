// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// c_api.h and c_env_api.h: missing addresses are errors that name them, never crashes.
#include <tvm/ffi/tvm_ffi.h>

#include <string>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

const TVMFFIByteArray kName{"test_arguments", 14};
const TVMFFIByteArray kBroken{nullptr, 5};

// The error raised by a function that returns a code.
std::string raised_by(int code) {
  return error_of([&] { TVM_FFI_CHECK_SAFE_CALL(code); });
}

// The error raised by a function that returns something else.
std::string raised() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return "no error";
  return error_of([&] { throw ffi::Error(ffi::ObjectUnsafe::PtrFromOwned<ffi::ErrorObj>(error)); });
}

int nothing(void*, const TVMFFIAny*, int32_t, TVMFFIAny*) { return 0; }

}  // namespace

#define EXPECT_NULL(argument, ...)  \
  EXPECT_EQ(raised_by(__VA_ARGS__), \
            std::string("ValueError: " argument ": expected an address, got NULL"))

// The error names any argument that the function cannot do without.
void required_addresses() {
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIAny any{};
  DLTensor tensor{};
  DLDataType dtype{kDLInt, 8, 1};
  void* once = nullptr;
  EXPECT_NULL("TVMFFIObjectCreateOpaque: out",
              TVMFFIObjectCreateOpaque(nullptr, kTVMFFIOpaquePyObject, nullptr, nullptr));
  EXPECT_NULL("TVMFFITypeKeyToIndex: out_tindex", TVMFFITypeKeyToIndex(&kName, nullptr));
  EXPECT_NULL("TVMFFITypeRegisterField: info", TVMFFITypeRegisterField(kTVMFFIObject, nullptr));
  EXPECT_NULL("TVMFFITypeRegisterMethod: info", TVMFFITypeRegisterMethod(kTVMFFIObject, nullptr));
  EXPECT_NULL("TVMFFITypeRegisterMetadata: metadata",
              TVMFFITypeRegisterMetadata(kTVMFFIObject, nullptr));
  EXPECT_NULL("TVMFFITypeRegisterAttr: attr_name",
              TVMFFITypeRegisterAttr(kTVMFFIObject, nullptr, &any));
  EXPECT_NULL("TVMFFITypeRegisterAttr: attr_value",
              TVMFFITypeRegisterAttr(kTVMFFIObject, &kName, nullptr));
  EXPECT_NULL("TVMFFIFunctionCreate: out",
              TVMFFIFunctionCreate(nullptr, nothing, nullptr, nullptr));
  EXPECT_NULL("TVMFFIFunctionGetGlobal: name", TVMFFIFunctionGetGlobal(nullptr, &handle));
  EXPECT_NULL("TVMFFIFunctionGetGlobal: out", TVMFFIFunctionGetGlobal(&kName, nullptr));
  const ffi::Function function = ffi::Function::FromTyped([] {});
  EXPECT_NULL("TVMFFIFunctionSetGlobal: name",
              TVMFFIFunctionSetGlobal(nullptr, ffi::ObjectUnsafe::Borrow(function), 0));
  EXPECT_NULL("TVMFFIFunctionSetGlobalFromMethodInfo: method_info",
              TVMFFIFunctionSetGlobalFromMethodInfo(nullptr, 0));
  EXPECT_NULL("TVMFFIAnyViewToOwnedAny: any_view", TVMFFIAnyViewToOwnedAny(nullptr, &any));
  EXPECT_NULL("TVMFFIAnyViewToOwnedAny: out", TVMFFIAnyViewToOwnedAny(&any, nullptr));
  for (const int32_t type : {kTVMFFIRawStr, kTVMFFIByteArrayPtr}) {
    TVMFFIAny view{}, owned{};
    view.type_index = type;
    EXPECT_NULL("TVMFFIAnyViewToOwnedAny: any_view", TVMFFIAnyViewToOwnedAny(&view, &owned));
  }
  EXPECT_NULL("TVMFFIStringFromByteArray: input", TVMFFIStringFromByteArray(nullptr, &any));
  EXPECT_NULL("TVMFFIStringFromByteArray: out", TVMFFIStringFromByteArray(&kName, nullptr));
  EXPECT_NULL("TVMFFIBytesFromByteArray: input", TVMFFIBytesFromByteArray(nullptr, &any));
  EXPECT_NULL("TVMFFIBytesFromByteArray: out", TVMFFIBytesFromByteArray(&kName, nullptr));
  EXPECT_NULL("TVMFFIBigIntFromByteArray: input", TVMFFIBigIntFromByteArray(nullptr, &any));
  EXPECT_NULL("TVMFFIBigIntFromByteArray: out", TVMFFIBigIntFromByteArray(&kName, nullptr));
  EXPECT_NULL("TVMFFIDataTypeFromString: str", TVMFFIDataTypeFromString(nullptr, &dtype));
  const TVMFFIByteArray int8{"int8", 4};
  EXPECT_NULL("TVMFFIDataTypeFromString: out", TVMFFIDataTypeFromString(&int8, nullptr));
  EXPECT_NULL("TVMFFIDataTypeToString: dtype", TVMFFIDataTypeToString(nullptr, &any));
  EXPECT_NULL("TVMFFIDataTypeToString: out", TVMFFIDataTypeToString(&dtype, nullptr));
  DLManagedTensor managed{};
  EXPECT_NULL("TVMFFITensorFromDLPack: out", TVMFFITensorFromDLPack(&managed, 0, 0, nullptr));
  DLManagedTensorVersioned versioned{};
  versioned.version.major = DLPACK_MAJOR_VERSION;
  EXPECT_NULL("TVMFFITensorFromDLPackVersioned: out",
              TVMFFITensorFromDLPackVersioned(&versioned, 0, 0, nullptr));
  EXPECT_NULL("TVMFFIHandleInitOnce: handle_addr", TVMFFIHandleInitOnce(nullptr, nullptr));
  EXPECT_NULL("TVMFFIHandleInitOnce: init_func", TVMFFIHandleInitOnce(&once, nullptr));
  EXPECT_NULL("TVMFFIHandleDeinitOnce: handle_addr", TVMFFIHandleDeinitOnce(nullptr, nullptr));
  EXPECT_NULL("TVMFFIHandleDeinitOnce: deinit_func", TVMFFIHandleDeinitOnce(&once, nullptr));
  EXPECT_NULL("TVMFFIEnvTensorAlloc: prototype", TVMFFIEnvTensorAlloc(nullptr, &handle));
  EXPECT_NULL("TVMFFIEnvTensorAlloc: out", TVMFFIEnvTensorAlloc(&tensor, nullptr));
  EXPECT_NULL("TVMFFIEnvModRegisterContextSymbol: name",
              TVMFFIEnvModRegisterContextSymbol(nullptr, nullptr));
  EXPECT_NULL("TVMFFIEnvModRegisterSystemLibSymbol: name",
              TVMFFIEnvModRegisterSystemLibSymbol(nullptr, nullptr));
  EXPECT(handle == nullptr && any.type_index == kTVMFFINone);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_required_addresses, required_addresses);

// Errors about tensors name the argument too, for exports and views.
void tensors() {
  TVMFFIObjectHandle handle = nullptr;
  DLManagedTensor* managed = nullptr;
  DLManagedTensorVersioned* versioned = nullptr;
  EXPECT_EQ(raised_by(TVMFFITensorToDLPack(nullptr, &managed)),
            std::string("TypeError: TVMFFITensorToDLPack: from: expected a Tensor, got NULL"));
  EXPECT_EQ(
      raised_by(TVMFFITensorToDLPackVersioned(nullptr, &versioned)),
      std::string("TypeError: TVMFFITensorToDLPackVersioned: from: expected a Tensor, got NULL"));
  EXPECT_EQ(
      raised_by(TVMFFITensorFromDLPack(nullptr, 0, 0, &handle)),
      std::string("ValueError: TVMFFITensorFromDLPack: from: expected a managed tensor, got NULL"));
  const ffi::Tensor tensor = ffi::Tensor::FromEnvAlloc(
      TVMFFIEnvTensorAlloc, {2}, DLDataType{kDLInt, 8, 1}, DLDevice{kDLCPU, 0});
  TVMFFIObjectHandle source = ffi::ObjectUnsafe::Borrow(tensor);
  EXPECT_NULL("TVMFFITensorToDLPack: out", TVMFFITensorToDLPack(source, nullptr));
  EXPECT_NULL("TVMFFITensorToDLPackVersioned: out", TVMFFITensorToDLPackVersioned(source, nullptr));
  EXPECT_NULL("TVMFFITensorCreateUnsafeView: out",
              TVMFFITensorCreateUnsafeView(source, tensor.get(), nullptr));
  EXPECT_EQ(tensor.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_tensors, tensors);

// A text with a size needs an address, unless its size is 0.
void texts_without_address() {
  int32_t index = 0;
  EXPECT_EQ(raised_by(TVMFFITypeKeyToIndex(&kBroken, &index)),
            std::string("ValueError: TVMFFITypeKeyToIndex: type_key: expected 5 bytes, got NULL"));
  TVMFFIFieldInfo field{};
  field.name = kName;
  field.doc = kBroken;
  EXPECT_EQ(raised_by(TVMFFITypeRegisterField(kTVMFFIObject, &field)),
            std::string("ValueError: TVMFFITypeRegisterField: doc: expected 5 bytes, got NULL"));
  EXPECT_EQ(TVMFFITypeGetOrAllocIndex(&kBroken, -1, 1, 0, 1, kTVMFFIObject), -1);
  EXPECT_EQ(
      raised(),
      std::string("ValueError: TVMFFITypeGetOrAllocIndex: type_key: expected 5 bytes, got NULL"));
  EXPECT(TVMFFIGetTypeAttrColumn(nullptr) == nullptr);
  EXPECT_EQ(raised(), std::string("ValueError: TVMFFIGetTypeAttrColumn: attr_name: expected an "
                                  "address, got NULL"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_texts_without_address, texts_without_address);

// Optional arguments may be omitted: functions that cannot fail accept NULL.
void optional_addresses() {
  TVMFFIGetVersion(nullptr);
  EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0);
  TVMFFIErrorSetRaised(nullptr);
  EXPECT_EQ(raised(), std::string("no error"));
  TVMFFIErrorSetRaisedFromCStr(nullptr, nullptr);
  EXPECT_EQ(raised_by(-1), error_of([] { TVM_FFI_THROW(RuntimeError) << ""; }));
  TVMFFIErrorSetRaisedFromCStrParts("ValueError", nullptr, 3);
  EXPECT_EQ(raised_by(-1), error_of([] { TVM_FFI_THROW(ValueError) << ""; }));
  TVMFFIErrorSetRaisedFromCStr("ValueError", "kept");
  TVMFFIErrorMoveFromRaised(nullptr);
  EXPECT_EQ(raised_by(-1), std::string("ValueError: kept"));
  EXPECT_EQ(TVMFFIErrorCreate(&kName, &kName, nullptr, nullptr), -1);
  EXPECT_EQ(raised(), std::string("no error"));
  EXPECT(TVMFFIBacktrace(nullptr, 0, nullptr, 0) != nullptr);
  EXPECT_EQ(TVMFFISetCustomAllocator(nullptr), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_optional_addresses, optional_addresses);

// A tensor without a shape, or with a negative number of dimensions, is rejected, as is NULL.
void impossible_tensors() {
  TVMFFIObjectHandle handle = nullptr;
  const ffi::Shape owner({1});
  DLManagedTensor managed{};
  DLTensor& tensor = managed.dl_tensor;
  tensor.device = {kDLCPU, 0};
  tensor.dtype = {kDLFloat, 32, 1};
  for (int32_t ndim : {-1, 2}) {
    tensor.ndim = ndim;
    const std::string expected =
        ndim < 0 ? ": expected a number of dimensions that is not negative, got -1"
                 : ": expected a shape of 2 dimensions, got NULL";
    EXPECT_EQ(raised_by(TVMFFITensorFromDLPack(&managed, 0, 0, &handle)),
              "ValueError: TVMFFITensorFromDLPack: from" + expected);
    EXPECT_EQ(raised_by(TVMFFIEnvTensorAlloc(&tensor, &handle)),
              "ValueError: TVMFFIEnvTensorAlloc: prototype" + expected);
    EXPECT_EQ(
        raised_by(TVMFFITensorCreateUnsafeView(ffi::ObjectUnsafe::Borrow(owner), &tensor, &handle)),
        "ValueError: TVMFFITensorCreateUnsafeView: prototype" + expected);
  }
  TVMFFIAny lent{}, result{};
  lent.type_index = kTVMFFIDLTensorPtr;
  const ffi::Function kernel = ffi::Function::FromTyped([](ffi::TensorView) {}, "kernel");
  EXPECT(raised_by(TVMFFIFunctionCall(ffi::ObjectUnsafe::Borrow(kernel), &lent, 1, &result))
             .find("TypeError: kernel") == 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_impossible_tensors, impossible_tensors);
