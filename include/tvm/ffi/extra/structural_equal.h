// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_equal.h
 * \brief Compares values by their structure.
 *
 * The code is inline and calls global functions, so it runs under any runtime that has them.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
#define TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/attr_key.h>
#include <tvm/ffi/typed_function.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Whether two values have the same structure, like `tvm_ffi.structural_equal` in Python. */
class TVM_FFI_RUNTIME_API StructuralEqual {
 public:
  /*!
   * \brief Whether two values have the same structure.
   * \param a One value.
   * \param b The other.
   * \param map_free_vars Whether variables without a definition may be mapped to each other.
   * \param skip_tensor_content Whether tensors with equal shapes and dtypes count as equal.
   */
  TVM_FFI_RUNTIME_API static bool Equal(const Any& a, const Any& b, bool map_free_vars = false,
                                        bool skip_tensor_content = false) {
    static const Function equal = Function::GetGlobalRequired("ffi.StructuralEqual");
    return equal(a, b, map_free_vars, skip_tensor_content).cast<bool>();
  }

  /*!
   * \brief Finds the first difference: a path into each value; empty if they are equal.
   * \param a One value.
   * \param b The other.
   * \param map_free_vars As for Equal.
   * \param skip_tensor_content As for Equal.
   */
  TVM_FFI_RUNTIME_API static Optional<reflection::AccessPathPair> GetFirstMismatch(
      const Any& a, const Any& b, bool map_free_vars = false, bool skip_tensor_content = false) {
    static const Function find = Function::GetGlobalRequired("ffi.GetFirstStructuralMismatch");
    return find(a, b, map_free_vars, skip_tensor_content)
        .cast<Optional<reflection::AccessPathPair>>();
  }

  /*! \brief Whether two values have the same structure, including tensor contents. */
  bool operator()(const Any& a, const Any& b) const { return Equal(a, b); }
};

namespace type_attr {

/*! \brief Compares two objects of the type by structure, given a function that compares two
 * parts; it also takes whether variables may be defined there and a name or index for the path. */
inline constexpr reflection::AttrKey<TypedFunction<bool(
    const Object*, const Object*, const TypedFunction<bool(AnyView, AnyView, int, AnyView)>&)>>
    kSEqual{"__s_equal__"};

}  // namespace type_attr
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_STRUCTURAL_EQUAL_H_
