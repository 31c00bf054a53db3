// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/dict.h
 * \brief Dict: pairs of keys and values, in the order of insertion; shared by all handles.
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
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIDict;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Dict", DictObj, Object)
};

/*!
 * \brief Pairs of a K and a V, in the order of insertion.
 *
 * Keys are told apart by AnyEqual. Handles share one object; what one of them changes, all see. The
 * caller makes sure that no other thread uses the pairs while they change, and that no hash and no
 * equality of a key's type changes them: a RuntimeError is thrown if one does.
 *
 * A handle of other types, or another language, may have set what is no K or V. So each read checks
 * the type, of all elements where V is a container: the value is converted, or else a TypeError is
 * thrown. A `Dict<K, Any>` reads without a check.
 */
template <typename K, typename V>
class Dict : public MapBaseRef<DictObj, K, V> {
  using Base = MapBaseRef<DictObj, K, V>;

 public:
  /*! \brief No pairs. */
  Dict() : Base(make_object<DictObj>()) {}
  /*! \brief A null handle; fill it before use. */
  explicit Dict(UnsafeInit tag) : Base(tag) {}
  /*! \brief Owns what `data` owns; its keys are K, its values V. */
  explicit Dict(ObjectPtr<DictObj> data) : Base(std::move(data)) {}
  /*! \brief The pairs of a list; a later key replaces an earlier one. */
  Dict(std::initializer_list<std::pair<K, V>> pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief The pairs from `begin` to `end`; a later key replaces an earlier one. */
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Dict(Iterator begin, Iterator end) : Base(Base::FromRange(begin, end)) {}
  /*! \brief The pairs of a std::map or a std::unordered_map, in its order. */
  template <typename C, typename = std::enable_if_t<detail::IsStandardMap<C>::value>>
  Dict(const C& pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief Shares the pairs of a Dict whose keys are K and whose values are V too; what is set in
   * one, the other sees. */
  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::TypeContains<K, K2>::value &&
                                        detail::TypeContains<V, V2>::value>>
  Dict(const Dict<K2, V2>& other) : Base(other.data_) {}  // NOLINT(runtime/explicit)

  /*! \brief Sets the value of a key, which is added at the end if it is not there. */
  void Set(const K& key, const V& value) {
    // Owned first, as a conversion may call back and change this handle.
    Any owned_key(key);
    Any owned_value(value);
    Filled()->Set(std::move(owned_key), std::move(owned_value));
  }
  /*! \brief Removes the pair of a key, if there is one. */
  void erase(const K& key) {
    const Any owned(key);
    if (this->defined()) this->pairs()->erase(owned);
  }
  /*! \brief Removes all pairs. */
  void clear() {
    if (this->defined()) this->pairs()->clear();
  }

 private:
  // A handle that was moved from gets an object of its own.
  DictObj* Filled() {
    if (!this->defined()) *this = Dict();
    return this->pairs();
  }

  template <typename, typename>
  friend class Dict;
};

/*! \brief Dict has TypeTraits of its own. */
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
