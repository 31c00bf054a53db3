// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_hash.h
 * \brief Hashes values by their structure.
 *
 * The code is inline and calls global functions, so it runs under any runtime that has them.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
#define TVM_FFI_EXTRA_STRUCTURAL_HASH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/typed_function.h>

#include <cstdint>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A hash that is equal for values of equal structure, like `tvm_ffi.structural_hash` in
 * Python. */
class TVM_FFI_RUNTIME_API StructuralHash {
 public:
  /*!
   * \brief Hashes the value's structure.
   * \param value The value.
   * \param map_free_vars Whether variables without a definition may be mapped to each other.
   * \param skip_tensor_content Whether only the shapes and dtypes of tensors count.
   */
  TVM_FFI_RUNTIME_API static uint64_t Hash(const Any& value, bool map_free_vars = false,
                                           bool skip_tensor_content = false) {
    static const Function hash = Function::GetGlobalRequired("ffi.StructuralHash");
    return static_cast<uint64_t>(hash(value, map_free_vars, skip_tensor_content).cast<int64_t>());
  }

  /*! \brief Hashes the value's structure, including tensor contents. */
  uint64_t operator()(const Any& value) const { return Hash(value); }
};

namespace type_attr {

/*! \brief Hashes an object of the type by structure, given the hash so far and a function that adds
 * a part to it. That function also takes whether variables may be defined there. */
inline constexpr reflection::AttrKey<TypedFunction<int64_t(
    const Object*, int64_t, const TypedFunction<int64_t(AnyView, int64_t, int)>&)>>
    kSHash{"__s_hash__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_STRUCTURAL_HASH_H_
