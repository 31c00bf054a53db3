// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/list.h
 * \brief Lists: mutable sequences of values of one type, shared by all handles.
 */
#ifndef TVM_FFI_CONTAINER_LIST_H_
#define TVM_FFI_CONTAINER_LIST_H_

#include <tvm/ffi/container/seq_base.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief A List object; its elements are in a separate block. */
class ListObj : public SeqBaseObj {
 public:
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIList;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  /*! \brief Any handle can modify it. */
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.List", ListObj, Object)

  /*! \brief Constructs an empty list. */
  ListObj() {
    // Code built with the published headers also frees the block of an empty list, which is NULL.
    cell_.data_deleter = std::free;
  }

  /*! \brief Reserves room for `capacity` elements; throws a ValueError if they do not fit into
   * memory. */
  void Reserve(int64_t capacity) {
    if (capacity <= cell_.capacity) return;
    const size_t bytes = detail::SeqBytes(_type_key, capacity);
    // From malloc, because `free` remains callable when the library that allocated it is unloaded.
    void* block = std::malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    if (!empty()) std::memcpy(block, cell_.data, size() * sizeof(TVMFFIAny));
    void* old = std::exchange(cell_.data, block);
    cell_.capacity = capacity;
    // The old block may have been allocated by other code.
    if (cell_.data_deleter != nullptr) cell_.data_deleter(old);
    cell_.data_deleter = std::free;
  }

 private:
  template <typename>
  friend class List;
  template <typename, typename, typename>
  friend class Sequence;
};

/*!
 * \brief A shared list of values of one type: each handle sees the changes made by the others.
 *
 * As a parameter, it also accepts an Array, by copy. A List whose elements need a conversion is
 * also copied, so the caller does not see changes. A list that contains itself is never freed.
 *
 * Handles of other types and other languages may have added elements that are not a T. Each read
 * therefore checks the type, including all nested elements if T is a container, and converts the
 * element or throws a TypeError. A `List<Any>` is read without a check.
 * \tparam T Element type, as for Array.
 */
template <typename T>
class List : public Sequence<List<T>, T, ListObj> {
  using Base = Sequence<List<T>, T, ListObj>;

 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(List, Base, ListObj);

  /*! \brief Constructs an empty list. */
  List() : Base(make_object<ListObj>()) {}
  /*! \brief Constructs a list from an initializer list. */
  List(std::initializer_list<T> elements) : List(elements.begin(), elements.end()) {}
  /*! \brief Constructs a list from a range. */
  template <typename Iter, typename = detail::EnableIfIterator<Iter>>
  List(Iter first, Iter last) : List() {
    this->reserve(Base::CountOf(first, last));
    this->AppendAll(first, last);
  }
  /*! \brief Constructs a list from a container such as std::vector<T>. */
  template <typename Range, typename = std::enable_if_t<detail::IsRangeOf<Range, T>::value>>
  List(const Range& range) : List(range.begin(), range.end()) {}  // NOLINT(runtime/explicit)
  /*! \brief Constructs a list with `size` copies of an element. */
  explicit List(size_t size, const T& value) : List() {
    this->reserve(static_cast<int64_t>(size));
    for (size_t i = 0; i < size; ++i) this->push_back(value);
  }

  /*! \brief Returns the object, borrowed; NULL for a moved-from handle. */
  ListObj* GetListObj() const { return get(); }

 private:
  // The object if an element can be appended to it in place; otherwise NULL.
  ListObj* WithRoom() {
    ListObj* object = get();
    return object != nullptr && object->cell_.size < object->cell_.capacity ? object : nullptr;
  }
  ListObj* Writable(int64_t capacity) {
    if (!this->defined()) this->data_ = make_object<ListObj>();
    get()->Reserve(capacity);
    return get();
  }
  void RemoveAll() { this->Remove(0, this->Size()); }
  void Replace(List&& other) {
    ListObj* object = Writable(other.Size());
    const detail::TakenElements gone(object->MutableBegin(), object->cell_.size);
    object->cell_.size = 0;
    object->TakeAll(other.get());
  }

  template <typename, typename, typename>
  friend class Sequence;
};

/*! \brief List has its own TypeTraits. */
template <typename T>
inline constexpr bool use_default_type_traits_v<List<T>> = false;

template <typename T>
struct TypeTraits<List<T>> : public detail::SequenceTraits<List<T>, T, ListObj> {};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_LIST_H_
