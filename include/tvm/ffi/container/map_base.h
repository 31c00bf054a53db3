// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/map_base.h
 * \brief The code shared by Map and Dict.
 */
#ifndef TVM_FFI_CONTAINER_MAP_BASE_H_
#define TVM_FFI_CONTAINER_MAP_BASE_H_

#include <tvm/ffi/container/hash_table.h>
#include <tvm/ffi/optional.h>

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// A key as shown in error messages.
TVM_FFI_COLD inline std::string KeyText(const Any& key) {
  const TVMFFIAny any = key.CopyToTVMFFIAny();
  if (KeyType(any) == kTVMFFIStr) {
    const TVMFFIByteArray bytes = BytesOf(any);
    return "\"" + std::string(bytes.data, bytes.size) + "\"";
  }
  if (any.type_index == kTVMFFIInt) return (Message().self() << any.v_int64).take();
  return TypeName(&any);
}

[[noreturn]] TVM_FFI_COLD inline void ThrowNoKey(const char* type_key, const Any& key) {
  TVM_FFI_THROW(KeyError) << ShownTypeKey(type_key) << "::at: expected an existing key, got "
                          << KeyText(key);
}

}  // namespace detail

/*! \brief Base of MapObj and DictObj: pairs of values in insertion order. */
class MapBaseObj : public Object {
 public:
  /*! \brief Type of the keys. */
  using key_type = Any;
  /*! \brief Type of the values. */
  using mapped_type = Any;
  /*! \brief A key and its value. */
  using KVType = std::pair<Any, Any>;

  /*! \brief Iterates over the pairs; invalidated when the table changes. */
  class iterator {
   public:
    /*! \brief Iterator category: bidirectional. */
    using iterator_category = std::bidirectional_iterator_tag;
    /*! \brief A key and its value. */
    using value_type = KVType;
    /*! \brief Type of a distance between iterators. */
    using difference_type = std::ptrdiff_t;
    /*! \brief Pointer to a pair. */
    using pointer = KVType*;
    /*! \brief Reference to a pair. */
    using reference = KVType&;

    iterator() = default;
    /*! \brief The pair; its key must not be changed. */
    KVType& operator*() const { return table_->At(at_); }
    /*! \brief The pair; its key must not be changed. */
    KVType* operator->() const { return &table_->At(at_); }
    /*! \brief Advances to the next pair. */
    iterator& operator++() {
      at_ = table_->Next(at_);
      return *this;
    }
    /*! \brief Advances to the next pair; returns the old position. */
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    /*! \brief Moves back by one pair. */
    iterator& operator--() {
      at_ = table_->Previous(at_);
      return *this;
    }
    /*! \brief Moves back by one pair; returns the old position. */
    iterator operator--(int) {
      iterator before = *this;
      --*this;
      return before;
    }
    /*! \brief Whether both point to the same pair of the same table. */
    bool operator==(const iterator& other) const {
      return at_ == other.at_ && table_ == other.table_;
    }
    /*! \brief Whether they point to different pairs. */
    bool operator!=(const iterator& other) const { return !(*this == other); }

   private:
    iterator(uint64_t at, const detail::HashTable* table) : at_(at), table_(table) {}

    uint64_t at_{0};
    const detail::HashTable* table_{nullptr};

    friend class MapBaseObj;
  };

  /*! \brief Number of pairs. */
  size_t size() const { return table_.size(); }
  /*! \brief Whether there are no pairs. */
  bool empty() const { return size() == 0; }
  /*! \brief Iterator to the first pair. */
  iterator begin() const { return {table_.Begin(), &table_}; }
  /*! \brief Iterator past the last pair. */
  iterator end() const { return {table_.End(), &table_}; }
  /*! \brief Finds the pair of a key; returns end() if there is none. */
  iterator find(const Any& key) const { return FindLent(*detail::Raw(key)); }
  /*! \brief 1 if the key is present, 0 otherwise. */
  size_t count(const Any& key) const { return find(key) == end() ? 0 : 1; }
  /*! \brief The value of a key; throws a KeyError if the key is missing. */
  const Any& at(const Any& key) const { return Existing(key)->second; }
  /*! \brief The value of a key; throws a KeyError if the key is missing. */
  Any& at(const Any& key) { return Existing(key)->second; }
  /*! \brief Sets the value of a key, adding the key if it is missing. */
  void Set(Any key, Any value) { table_.Set(std::move(key), std::move(value)); }
  /*! \brief Removes a pair. */
  void erase(const iterator& position) { table_.Erase(position.at_); }
  /*! \brief Removes the pair of a key, if present; returns the number of pairs removed. */
  size_t erase(const Any& key) {
    const iterator position = find(key);
    if (position == end()) return 0;
    erase(position);
    return 1;
  }
  /*! \brief Removes all pairs. */
  void clear() { table_.Clear(); }
  /*! \brief Reserves room for `size` pairs. */
  void reserve(size_t size) { table_.Reserve(size); }
  /*! \brief Fills an empty object with the pairs of another. */
  void CopyFrom(const MapBaseObj& other) { table_.CopyFrom(other.table_); }

 protected:
  MapBaseObj() = default;

  /*! \brief The pairs. */
  detail::HashTable table_;

 private:
  // The pair of a borrowed key, or end().
  iterator FindLent(const TVMFFIAny& key) const { return {table_.Find(key), &table_}; }

  template <typename, typename, typename>
  friend class MapBaseRef;

  iterator Existing(const Any& key) const {
    const iterator position = find(key);
    if (position == end()) {
      detail::ThrowNoKey(type_index() == kTVMFFIDict ? "ffi.Dict" : "ffi.Map", key);
    }
    return position;
  }
};

static_assert(sizeof(MapBaseObj) == sizeof(Object) + sizeof(detail::HashTable),
              "the table follows the head, which it finds from its own address");

namespace detail {

// Whether a stored value is a T.
template <typename T>
bool IsStored(const Any& value) {
  return TypeTraits<T>::CheckAnyStrict(Raw(value));
}

// Returns a stored value that is a T.
template <typename T>
T FromStored(const Any& value) {
  return TypeTraits<T>::CopyFromAnyViewAfterCheck(Raw(value));
}

// Converts a key or a value of another type to T. `key` is the key itself, or the value's key.
template <typename T>
TVM_FFI_COLD T ConvertStored(const char* type_key, Any stored, const Any& key) {
  // Owned, because a conversion may reenter and change the table.
  std::optional<T> converted = stored.template try_cast<T>();
  if (!converted.has_value()) {
    TVM_FFI_THROW(TypeError) << ShownTypeKey(type_key) << ": expected " << TypeTraits<T>::TypeStr()
                             << ", got " << MismatchText<T>(Raw(stored)) << " at key "
                             << KeyText(key);
  }
  return *std::move(converted);
}

// Whether C is a standard map, whichever header defines it.
template <typename C, typename = void>
struct IsStandardMap : public std::false_type {};
template <typename C>
struct IsStandardMap<
    C, std::void_t<typename C::key_type, typename C::mapped_type, typename C::allocator_type>>
    : public std::true_type {};

}  // namespace detail

/*!
 * \brief The read operations of Map and Dict: a handle to pairs of a K and a V.
 *
 * A moved-from handle has no pairs.
 */
template <typename Obj, typename K, typename V>
class MapBaseRef : public ObjectRef {
 public:
  /*! \brief Type of the keys. */
  using key_type = K;
  /*! \brief Type of the values. */
  using mapped_type = V;
  /*! \brief Type of the underlying object. */
  using ContainerType = Obj;
  /*! \brief None does not convert to it. */
  TVM_FFI_HIDDEN static constexpr bool _type_is_nullable = false;

  /*! \brief Iterates over the pairs in insertion order; invalidated when the pairs change. */
  class iterator {
   public:
    /*! \brief Iterator category: bidirectional. */
    using iterator_category = std::bidirectional_iterator_tag;
    /*! \brief A key and its value. */
    using value_type = std::pair<K, V>;
    /*! \brief Type of a distance between iterators. */
    using difference_type = std::ptrdiff_t;
    /*! \brief Keeps a pair alive while its members are read. */
    class pointer {
     public:
      /*! \brief Takes over `pair`. */
      explicit pointer(value_type pair) : pair_(std::move(pair)) {}
      /*! \brief The pair. */
      const value_type* operator->() const { return &pair_; }

     private:
      value_type pair_;
    };
    /*! \brief Pairs are returned by value. */
    using reference = value_type;

    iterator() = default;
    /*! \brief Returns a copy of the key and its value. */
    value_type operator*() const {
      return value_type(Read<K>(at_->first, at_->first), Read<V>(at_->second, at_->first));
    }
    /*! \brief Returns a copy of the key and its value. */
    pointer operator->() const { return pointer(**this); }
    /*! \brief Advances to the next pair. */
    iterator& operator++() {
      ++at_;
      return *this;
    }
    /*! \brief Advances to the next pair; returns the old position. */
    iterator operator++(int) {
      iterator before = *this;
      ++at_;
      return before;
    }
    /*! \brief Moves back by one pair. */
    iterator& operator--() {
      --at_;
      return *this;
    }
    /*! \brief Moves back by one pair; returns the old position. */
    iterator operator--(int) {
      iterator before = *this;
      --at_;
      return before;
    }
    /*! \brief Whether both point to the same pair. */
    bool operator==(const iterator& other) const { return at_ == other.at_; }
    /*! \brief Whether they point to different pairs. */
    bool operator!=(const iterator& other) const { return at_ != other.at_; }

   private:
    explicit iterator(MapBaseObj::iterator at) : at_(at) {}

    MapBaseObj::iterator at_;

    friend class MapBaseRef;
  };

  /*! \brief Number of pairs. */
  size_t size() const { return defined() ? pairs()->size() : 0; }
  /*! \brief Whether there are no pairs. */
  bool empty() const { return size() == 0; }
  /*! \brief 1 if the key is present, 0 otherwise. */
  size_t count(const K& key) const {
    const iterator position = find(key);
    return position == end() ? 0 : 1;
  }
  /*! \brief The value of a key; throws a KeyError if the key is missing. */
  V at(const K& key) const {
    const MapBaseObj::iterator position = Find(key);
    if (!defined() || position == pairs()->end()) detail::ThrowNoKey(Obj::_type_key, Any(key));
    return Read<V>(position->second, position->first);
  }
  /*! \brief The value of a key; throws a KeyError if the key is missing. */
  V operator[](const K& key) const { return at(key); }
  /*! \brief The value of a key; empty if the key is missing. */
  Optional<V> Get(const K& key) const {
    const iterator position = find(key);
    if (position == end()) return std::nullopt;
    return Optional<V>((*position).second);
  }
  /*! \brief Iterator to the first pair. */
  iterator begin() const { return iterator(defined() ? pairs()->begin() : NoPair()); }
  /*! \brief Iterator past the last pair. */
  iterator end() const { return iterator(defined() ? pairs()->end() : NoPair()); }
  /*! \brief Finds the pair of a key; returns end() if there is none. */
  iterator find(const K& key) const { return iterator(Find(key)); }
  /*! \brief The underlying object. */
  const Obj* get() const { return static_cast<const Obj*>(data_.get()); }
  /*! \brief The underlying object. */
  const Obj* operator->() const { return get(); }

 protected:
  /*! \brief Takes ownership of `data`. */
  explicit MapBaseRef(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  /*! \brief Constructs a null handle. */
  explicit MapBaseRef(UnsafeInit tag) : ObjectRef(tag) {}

  /*! \brief The object, mutable; not NULL. */
  Obj* pairs() const { return static_cast<Obj*>(data_.get()); }

  /*! \brief Creates an object with the pairs of a range; a later key replaces an earlier one. */
  template <typename Iterator>
  static ObjectPtr<Object> FromRange(Iterator begin, Iterator end) {
    ObjectPtr<Obj> made = make_object<Obj>();
    for (; begin != end; ++begin) {
      const auto& pair = *begin;
      made->Set(Any(K(pair.first)), Any(V(pair.second)));
    }
    return made;
  }

 private:
  static MapBaseObj::iterator NoPair() { return {}; }

  // The T in the table. In a Dict it may be of another type, because handles of other types and
  // other languages also change it.
  template <typename T>
  static T Read(const Any& stored, [[maybe_unused]] const Any& key) {
    if constexpr (Obj::_type_index == kTVMFFIDict) {
      if (!detail::IsStored<T>(stored)) {
        return detail::ConvertStored<T>(Obj::_type_key, stored, Any(key));
      }
    }
    return detail::FromStored<T>(stored);
  }

  // The pair of a key, or the end.
  MapBaseObj::iterator Find(const K& key) const {
    if constexpr (detail::kLentAsOwned<K>) {
      if (!defined()) return NoPair();
      const AnyView view(key);
      return pairs()->FindLent(*detail::Raw(view));
    } else {
      // Converted first, because a conversion may reenter and change this handle.
      const Any owned(key);
      return defined() ? pairs()->find(owned) : NoPair();
    }
  }
};

namespace detail {

// Copies of the pairs of a table, because converting one may reenter and change the table.
class PairsNow {
 public:
  using Pair = MapBaseObj::KVType;

  explicit PairsNow(const MapBaseObj& from) : pairs_(new Pair[from.size()]), end_(pairs_) {
    for (const Pair& pair : from) *end_++ = pair;
  }
  PairsNow(const PairsNow&) = delete;
  PairsNow& operator=(const PairsNow&) = delete;
  ~PairsNow() { delete[] pairs_; }

  const Pair* begin() const { return pairs_; }
  const Pair* end() const { return end_; }

 private:
  Pair* pairs_;
  Pair* end_;
};

// TypeTraits of Map and Dict; each converts to the other.
template <typename Ref>
struct MapTraits : public ObjectRefTraits<Ref> {
  using K = typename Ref::key_type;
  using V = typename Ref::mapped_type;
  using Obj = typename Ref::ContainerType;

  static bool CheckAnyStrict(const TVMFFIAny* any) {
    if (any->type_index != Obj::_type_index) return false;
    if constexpr (!std::is_same<K, Any>::value || !std::is_same<V, Any>::value) {
      for (const auto& pair : *PairsIn(any)) {
        if (!IsStored<K>(pair.first) || !IsStored<V>(pair.second)) return false;
      }
    }
    return true;
  }
  static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny* any) {
    if (any->type_index != kTVMFFIMap && any->type_index != kTVMFFIDict) return std::nullopt;
    if (CheckAnyStrict(any)) return ObjectRefTraits<Ref>::CopyFromAnyViewAfterCheck(any);
    ObjectPtr<Obj> made = make_object<Obj>();
    for (const auto& pair : PairsNow(*PairsIn(any))) {
      std::optional<K> key = pair.first.template try_cast<K>();
      if (!key.has_value()) return std::nullopt;
      std::optional<V> value = pair.second.template try_cast<V>();
      if (!value.has_value()) return std::nullopt;
      made->Set(Any(*std::move(key)), Any(*std::move(value)));
    }
    return Ref(std::move(made));
  }
  static std::string TypeStr() {
    return ShownTypeKey(Obj::_type_key) + "[" + TypeTraits<K>::TypeStr() + ", " +
           TypeTraits<V>::TypeStr() + "]";
  }
  static std::string TypeSchema() { return SchemaText<K, V>(Obj::_type_key); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) {
    if (any->type_index != kTVMFFIMap && any->type_index != kTVMFFIDict) {
      return ValueText(any);
    }
    for (const auto& pair : PairsNow(*PairsIn(any))) {
      const TVMFFIAny key = pair.first.CopyToTVMFFIAny();
      const TVMFFIAny value = pair.second.CopyToTVMFFIAny();
      if (!TypeTraits<K>::TryCastFromAnyView(&key).has_value()) {
        return TypeName(any) + " with a key " + MismatchText<K>(&key);
      }
      if (!TypeTraits<V>::TryCastFromAnyView(&value).has_value()) {
        return TypeName(any) + " with " + MismatchText<V>(&value) + " at key " +
               KeyText(pair.first);
      }
    }
    return ValueText(any);
  }

 private:
  static const MapBaseObj* PairsIn(const TVMFFIAny* any) {
    return static_cast<const MapBaseObj*>(reinterpret_cast<const Object*>(any->v_obj));
  }
};

}  // namespace detail

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_MAP_BASE_H_
