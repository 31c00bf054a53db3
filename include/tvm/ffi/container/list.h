// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/list.h
 * \brief Lists: values of one type that change for all who share them.
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
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIList;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  /*! \brief Every handle may change it. */
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.List", ListObj, Object)

  /*! \brief No elements. */
  ListObj() {
    // Code of the published headers ends the block of an empty list too, which is NULL.
    cell_.data_deleter = std::free;
  }

  /*! \brief Makes room for `capacity` elements; a ValueError is thrown if that is negative or
   * beyond all memory. */
  void Reserve(int64_t capacity) {
    if (capacity <= cell_.capacity) return;
    const size_t bytes = detail::SeqBytes(_type_key, capacity);
    // From malloc, so that `free`, which no library takes with it when it is unloaded, ends it.
    void* block = std::malloc(bytes);
    if (block == nullptr) throw std::bad_alloc();
    if (!empty()) std::memcpy(block, cell_.data, size() * sizeof(TVMFFIAny));
    void* old = std::exchange(cell_.data, block);
    cell_.capacity = capacity;
    // The old block may have been made by other code.
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
 * \brief Values of one type, shared: each handle sees the changes of the others.
 *
 * As a parameter it takes an Array too, by copy; so does one whose elements need a conversion, and
 * then the caller does not see changes. A list that holds itself is never freed.
 *
 * A handle of another type, or another language, may have added what is no T. So each read checks
 * the type, of all elements where T is a container: the element is converted, or else a TypeError
 * is thrown. A `List<Any>` reads without a check.
 * \tparam T Type of the elements, as for Array.
 */
template <typename T>
class List : public Sequence<List<T>, T, ListObj> {
  using Base = Sequence<List<T>, T, ListObj>;

 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(List, Base, ListObj);

  /*! \brief No elements. */
  List() : Base(make_object<ListObj>()) {}
  /*! \brief The elements of a list. */
  List(std::initializer_list<T> elements) : List(elements.begin(), elements.end()) {}
  /*! \brief The elements of a range. */
  template <typename Iter, typename = detail::EnableIfIterator<Iter>>
  List(Iter first, Iter last) : List() {
    this->reserve(Base::CountOf(first, last));
    this->AppendAll(first, last);
  }
  /*! \brief The elements of a container such as std::vector<T>. */
  template <typename Range, typename = std::enable_if_t<detail::IsRangeOf<Range, T>::value>>
  List(const Range& range) : List(range.begin(), range.end()) {}  // NOLINT(runtime/explicit)
  /*! \brief `size` times the same element. */
  explicit List(size_t size, const T& value) : List() {
    this->reserve(static_cast<int64_t>(size));
    for (size_t i = 0; i < size; ++i) this->push_back(value);
  }

  /*! \brief The object; NULL for a handle that was moved from. */
  ListObj* GetListObj() const { return get(); }

 private:
  // The object, if an element can be added to it as it is.
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

/*! \brief List has TypeTraits of its own. */
template <typename T>
inline constexpr bool use_default_type_traits_v<List<T>> = false;

template <typename T>
struct TypeTraits<List<T>> : public detail::SequenceTraits<List<T>, T, ListObj> {};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_LIST_H_
