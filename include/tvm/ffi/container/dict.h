// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/dict.h
 * \brief Dict: pairs of keys and values in insertion order, shared by all handles.
 */
#ifndef TVM_FFI_CONTAINER_DICT_H_
#define TVM_FFI_CONTAINER_DICT_H_

#include <tvm/ffi/container/map_base.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A Dict object. */
class DictObj : public MapBaseObj {
 public:
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIDict;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Dict", DictObj, Object)
};

/*!
 * \brief Pairs of a K and a V in insertion order.
 *
 * Keys are compared with AnyEqual. Handles share one object and see each other's changes. The
 * caller must ensure that no other thread uses the pairs while they change. If the hash or equality
 * function of a key type changes the pairs, a RuntimeError is thrown.
 *
 * Handles of other types and other languages may have set keys or values of other types. Each read
 * therefore checks the type, including all nested elements if V is a container, and converts the
 * value or throws a TypeError. The values of a `Dict<K, Any>` are read without a check.
 */
template <typename K, typename V>
class Dict : public MapBaseRef<DictObj, K, V> {
  using Base = MapBaseRef<DictObj, K, V>;

 public:
  /*! \brief Constructs an empty dict. */
  Dict() : Base(make_object<DictObj>()) {}
  /*! \brief Constructs a null handle; fill it before use. */
  explicit Dict(UnsafeInit tag) : Base(tag) {}
  /*! \brief Takes ownership of `data`, whose keys must be K and values V; not checked. */
  explicit Dict(ObjectPtr<DictObj> data) : Base(std::move(data)) {}
  /*! \brief Constructs a dict from an initializer list; a later key replaces an earlier one. */
  Dict(std::initializer_list<std::pair<K, V>> pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief Constructs a dict from a range; a later key replaces an earlier one. */
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Dict(Iterator begin, Iterator end) : Base(Base::FromRange(begin, end)) {}
  /*! \brief Constructs a dict from a std::map or std::unordered_map, in its order. */
  template <typename C, typename = std::enable_if_t<detail::IsStandardMap<C>::value>>
  Dict(const C& pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief Shares the pairs of a Dict whose keys are also K and whose values are also V; changes
   * through one are visible through the other. */
  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::TypeContains<K, K2>::value &&
                                        detail::TypeContains<V, V2>::value>>
  Dict(const Dict<K2, V2>& other) : Base(other.data_) {}  // NOLINT(runtime/explicit)

  /*! \brief Sets the value of a key, appending the key if it is missing. */
  void Set(const K& key, const V& value) {
    // Owned first, because a conversion may reenter and change this handle.
    Any owned_key(key);
    Any owned_value(value);
    Filled()->Set(std::move(owned_key), std::move(owned_value));
  }
  /*! \brief Removes the pair of a key, if present. */
  void erase(const K& key) {
    const Any owned(key);
    if (this->defined()) this->pairs()->erase(owned);
  }
  /*! \brief Removes all pairs. */
  void clear() {
    if (this->defined()) this->pairs()->clear();
  }

 private:
  // Creates an object if the handle was moved from.
  DictObj* Filled() {
    if (!this->defined()) *this = Dict();
    return this->pairs();
  }

  template <typename, typename>
  friend class Dict;
};

/*! \brief Dict has its own TypeTraits. */
template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Dict<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Dict<K, V>> : public detail::MapTraits<Dict<K, V>> {};

namespace detail {

template <typename K, typename V, typename K2, typename V2>
struct TypeContains<Dict<K, V>, Dict<K2, V2>,
                    std::enable_if_t<!std::is_same<Dict<K, V>, Dict<K2, V2>>::value>>
    : public std::conjunction<TypeContains<K, K2>, TypeContains<V, V2>> {};

}  // namespace detail

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_DICT_H_
