// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/structural_key.h
 * \brief Mapping keys that are compared by structure.
 *
 * A key stores its hash, so that a lookup does not hash the whole value again.
 */
#ifndef TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
#define TVM_FFI_EXTRA_STRUCTURAL_KEY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief The object of a StructuralKey. */
class StructuralKeyObj : public Object {
 public:
  /*! \brief The value. */
  Any key;
  /*! \brief The hash of its structure. */
  int64_t hash_i64 = 0;

  StructuralKeyObj() = default;
  /*! \brief Constructs a key from the value. */
  explicit StructuralKeyObj(Any value)
      : key(std::move(value)), hash_i64(static_cast<int64_t>(StructuralHash::Hash(key))) {}

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.StructuralKey", StructuralKeyObj, Object);
};

/*! \brief A mapping key that equals another if their values have the same structure.
 *
 * The value must not change while a mapping contains the key.
 */
class StructuralKey : public ObjectRef {
 public:
  // First, because functions below use its definitions.
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(StructuralKey, ObjectRef, StructuralKeyObj);

  /*! \brief Constructs a key from the value. */
  explicit StructuralKey(Any value) : ObjectRef(make_object<StructuralKeyObj>(std::move(value))) {}

  /*! \brief Whether the values have the same structure. */
  bool operator==(const StructuralKey& other) const {
    if (same_as(other)) return true;
    if (get() == nullptr || other.get() == nullptr) return false;
    return get()->hash_i64 == other.get()->hash_i64 &&
           StructuralEqual::Equal(get()->key, other.get()->key);
  }
  /*! \brief Whether the values have different structures. */
  bool operator!=(const StructuralKey& other) const { return !(*this == other); }
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*! \brief Supports std::unordered_map. */
template <>
struct std::hash<tvm::ffi::StructuralKey> {
  /*! \brief The hash of the value's structure; 0 for a null key. */
  size_t operator()(const tvm::ffi::StructuralKey& key) const {
    return key.get() == nullptr ? 0 : static_cast<size_t>(key->hash_i64);
  }
};

#endif  // TVM_FFI_EXTRA_STRUCTURAL_KEY_H_
