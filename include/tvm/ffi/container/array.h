// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/array.h
 * \brief Arrays: values of one type that are copied when one of several owners changes them.
 */
#ifndef TVM_FFI_CONTAINER_ARRAY_H_
#define TVM_FFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/container/seq_base.h>

#include <initializer_list>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief An Array object; its elements follow it in memory. */
class ArrayObj : public SeqBaseObj {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIArray;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Array", ArrayObj, Object)

  /*! \brief An object without elements, with room for `capacity`; a ValueError is thrown if that
   * is negative or beyond all memory. */
  static ObjectPtr<ArrayObj> Empty(int64_t capacity = 4) {
    const size_t bytes = detail::SeqBytes(_type_key, capacity);
    ObjectPtr<ArrayObj> object = detail::MakeObjectWithTail<ArrayObj>(bytes);
    object->cell_.data = object.get() + 1;
    object->cell_.capacity = capacity;
    return object;
  }

  /*! \brief An object with the same elements and room for `capacity`, at least their number. */
  static ObjectPtr<ArrayObj> CopyOf(const SeqBaseObj& from, int64_t capacity) {
    ObjectPtr<ArrayObj> object = Empty(capacity);
    for (const Any& value : from) object->Append(Any(value));
    return object;
  }

 private:
  // Moves the elements to an object with more room.
  static ObjectPtr<ArrayObj> MoveOf(ArrayObj* from, int64_t capacity) {
    ObjectPtr<ArrayObj> object = Empty(capacity);
    object->TakeAll(from);
    return object;
  }

  template <typename>
  friend class Array;
  template <typename...>
  friend class Tuple;
  template <typename, typename, typename>
  friend class Sequence;
};

/*!
 * \brief Values of one type that never change for those who share them.
 *
 * A change goes to the object itself where this handle is its only owner, and to a copy otherwise.
 * As a parameter it takes a List too, by copy; elements that need a conversion make a new Array.
 * \tparam T Type of the elements: any that can be owned by an Any, such as `int64_t`, `String`,
 *         `Tensor`, `Any`, `Optional<int>`, `Array<int>`.
 */
template <typename T>
class Array : public Sequence<Array<T>, T, ArrayObj> {
  using Base = Sequence<Array<T>, T, ArrayObj>;

 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Array, Base, ArrayObj);

  /*! \brief No elements. */
  Array() : Base(ArrayObj::Empty()) {}
  /*! \brief The elements of a list. */
  Array(std::initializer_list<T> elements) : Array(elements.begin(), elements.end()) {}
  /*! \brief The elements of a range. */
  template <typename Iter, typename = detail::EnableIfIterator<Iter>>
  Array(Iter first, Iter last) : Base(ArrayObj::Empty(Base::CountOf(first, last))) {
    ArrayObj* object = GetArrayObj();
    const int64_t capacity = object->cell_.capacity;
    for (int64_t size = 0; size < capacity && first != last; ++first) {
      new (object->MutableBegin() + size) Any(Base::Own(T(*first)));
      object->cell_.size = ++size;  // at once, as the next conversion may throw
    }
    this->AppendAll(first, last);
  }
  /*! \brief The elements of a container such as std::vector<T>. */
  template <typename Range, typename = std::enable_if_t<detail::IsRangeOf<Range, T>::value>>
  Array(const Range& range) : Array(range.begin(), range.end()) {}  // NOLINT(runtime/explicit)
  /*! \brief `size` times the same element. */
  explicit Array(size_t size, const T& value) : Base(ArrayObj::Empty(static_cast<int64_t>(size))) {
    for (size_t i = 0; i < size; ++i) this->push_back(value);
  }
  /*! \brief Shares an Array whose elements are all of type T too, for example Array<Any>. */
  template <typename U, typename = std::enable_if_t<!std::is_same<T, U>::value &&
                                                    detail::TypeContains<T, U>::value>>
  Array(Array<U> other)  // NOLINT(runtime/explicit)
      : Base(ObjectUnsafe::PtrFromOwned<ArrayObj>(ObjectUnsafe::MoveToOwned(std::move(other)))) {}

  /*! \brief The results of `function` for each element, in order. */
  template <typename F, typename U = std::decay_t<std::invoke_result_t<F, T>>>
  Array<U> Map(F function) const {
    Array<U> mapped;
    mapped.reserve(static_cast<int64_t>(this->size()));
    for (T value : *this) mapped.push_back(function(std::move(value)));
    return mapped;
  }
  /*! \brief Replaces each element by the result of `function`; shares on where none changes. */
  template <typename F>
  void MutateByApply(F function) {
    const Array before = *this;  // Stays as it is, whatever `function` does.
    Array after;
    after.reserve(static_cast<int64_t>(before.size()));
    bool changed = false;
    for (const Any& value : *before.get()) {
      T result = function(*SeqIterator<T>(&value));
      Any owned(std::move(result));
      changed = changed || !owned.same_as(value);
      after.Append(std::move(owned));
    }
    if (changed) *this = std::move(after);
  }
  /*! \brief The object, which this handle alone owns afterwards. */
  ArrayObj* CopyOnWrite() { return Writable(static_cast<int64_t>(this->size())); }
  /*! \brief The object; NULL for a handle that was moved from. */
  ArrayObj* GetArrayObj() const { return const_cast<ArrayObj*>(get()); }

 private:
  // The object, if this handle may add an element to it as it is.
  ArrayObj* WithRoom() {
    ArrayObj* object = GetArrayObj();
    const bool ready = object != nullptr && object->cell_.size < object->cell_.capacity;
    return ready && object->unique() ? object : nullptr;
  }
  ArrayObj* Writable(int64_t capacity) {
    if (!this->defined()) {
      this->data_ = ArrayObj::Empty(capacity);
    } else if (!this->unique()) {
      this->data_ = ArrayObj::CopyOf(*get(), capacity);
    } else if (capacity > get()->cell_.capacity) {
      this->data_ = ArrayObj::MoveOf(GetArrayObj(), capacity);
    }
    return GetArrayObj();
  }
  void RemoveAll() {
    if (this->unique()) return this->Remove(0, this->Size());
    this->data_ = ArrayObj::Empty(0);
  }
  void Replace(Array&& other) { *this = std::move(other); }

  template <typename, typename, typename>
  friend class Sequence;
};

/*! \brief Array has TypeTraits of its own. */
template <typename T>
inline constexpr bool use_default_type_traits_v<Array<T>> = false;

template <typename T>
struct TypeTraits<Array<T>> : public detail::SequenceTraits<Array<T>, T, ArrayObj> {};

namespace detail {

template <typename T, typename U>
struct TypeContains<Array<T>, Array<U>, std::enable_if_t<!std::is_same<T, U>::value>>
    : public TypeContains<T, U> {};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_ARRAY_H_
