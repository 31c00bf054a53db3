// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map.h
 * \brief Map: pairs of keys and values in insertion order, copied on write when shared.
 */
#ifndef TVM_FFI_CONTAINER_MAP_H_
#define TVM_FFI_CONTAINER_MAP_H_

#include <tvm/ffi/container/map_base.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A Map object. */
class MapObj : public MapBaseObj {
 public:
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIMap;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Map", MapObj, Object)
};

/*!
 * \brief Pairs of a K and a V in insertion order.
 *
 * Keys are compared with AnyEqual. Handles share one object; a handle that changes its pairs first
 * copies them unless it is the only owner. Reading from several threads is safe.
 */
template <typename K, typename V>
class Map : public MapBaseRef<MapObj, K, V> {
  using Base = MapBaseRef<MapObj, K, V>;

 public:
  /*! \brief Constructs an empty map. */
  Map() : Base(make_object<MapObj>()) {}
  /*! \brief Constructs a null handle; fill it before use. */
  explicit Map(UnsafeInit tag) : Base(tag) {}
  /*! \brief Takes ownership of `data`, whose keys must be K and values V; not checked. */
  explicit Map(ObjectPtr<MapObj> data) : Base(std::move(data)) {}
  /*! \brief Constructs a map from an initializer list; a later key replaces an earlier one. */
  Map(std::initializer_list<std::pair<K, V>> pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief Constructs a map from a range; a later key replaces an earlier one. */
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Map(Iterator begin, Iterator end) : Base(Base::FromRange(begin, end)) {}
  /*! \brief Constructs a map from a std::map or std::unordered_map, in its order. */
  template <typename C, typename = std::enable_if_t<detail::IsStandardMap<C>::value>>
  Map(const C& pairs)  // NOLINT(runtime/explicit)
      : Base(Base::FromRange(pairs.begin(), pairs.end())) {}
  /*! \brief Shares the pairs of a map whose keys are also K and whose values are also V. */
  template <typename K2, typename V2,
            typename = std::enable_if_t<detail::TypeContains<K, K2>::value &&
                                        detail::TypeContains<V, V2>::value>>
  Map(const Map<K2, V2>& other) : Base(other.data_) {}  // NOLINT(runtime/explicit)

  /*! \brief Sets the value of a key, appending the key if it is missing. */
  void Set(const K& key, const V& value) {
    // Owned first: a value that is this map itself is then shared and stays unchanged.
    Any owned_key(key);
    Any owned_value(value);
    CopyOnWrite()->Set(std::move(owned_key), std::move(owned_value));
  }
  /*! \brief Removes the pair of a key, if present. */
  void erase(const K& key) {
    const Any owned(key);
    if (this->defined() && this->pairs()->count(owned) != 0) CopyOnWrite()->erase(owned);
  }
  /*! \brief Removes all pairs. */
  void clear() { *this = Map(); }
  /*! \brief Returns the object to modify: this handle's own, or a copy if it is shared. */
  MapObj* CopyOnWrite() {
    if (!this->defined()) {
      *this = Map();
    } else if (!this->unique()) {
      ObjectPtr<MapObj> copy = make_object<MapObj>();
      copy->CopyFrom(*this->pairs());
      *this = Map(std::move(copy));
    }
    return this->pairs();
  }

 private:
  template <typename, typename>
  friend class Map;
};

/*! \brief Merges two maps; if both have a key, the value comes from `rhs`. */
template <typename K, typename V>
Map<K, V> Merge(Map<K, V> lhs, const Map<K, V>& rhs) {
  for (const auto& pair : rhs) lhs.Set(pair.first, pair.second);
  return lhs;
}

/*! \brief Map has its own TypeTraits. */
template <typename K, typename V>
inline constexpr bool use_default_type_traits_v<Map<K, V>> = false;

template <typename K, typename V>
struct TypeTraits<Map<K, V>> : public detail::MapTraits<Map<K, V>> {};

namespace detail {

template <typename K, typename V, typename K2, typename V2>
struct TypeContains<Map<K, V>, Map<K2, V2>,
                    std::enable_if_t<!std::is_same<Map<K, V>, Map<K2, V2>>::value>>
    : public std::conjunction<TypeContains<K, K2>, TypeContains<V, V2>> {};

}  // namespace detail

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_MAP_H_
