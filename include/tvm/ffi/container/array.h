// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/array.h
 * \brief Arrays: values of one type, copied on write when shared.
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
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIArray;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Array", ArrayObj, Object)

  /*! \brief Returns an empty object with room for `capacity`; throws a ValueError if that is
   * negative or does not fit into memory. */
  static ObjectPtr<ArrayObj> Empty(int64_t capacity = 4) {
    const size_t bytes = detail::SeqBytes(_type_key, capacity);
    ObjectPtr<ArrayObj> object = detail::MakeObjectWithTail<ArrayObj>(bytes);
    object->cell_.data = object.get() + 1;
    object->cell_.capacity = capacity;
    return object;
  }

  /*! \brief Returns a copy with room for `capacity` elements, at least the number in `from`. */
  static ObjectPtr<ArrayObj> CopyOf(const SeqBaseObj& from, int64_t capacity) {
    ObjectPtr<ArrayObj> object = Empty(capacity);
    for (const Any& value : from) object->Append(Any(value));
    return object;
  }

 private:
  // Moves the elements to a new object with more room.
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
 * \brief An array of values of one type, with copy-on-write semantics.
 *
 * A change modifies the object in place if this handle is its only owner, and a copy otherwise.
 * As a parameter, it also accepts a List, by copy; converting elements creates a new Array.
 * \tparam T Element type: any type that an Any can own, such as `int64_t`, `String`,
 *         `Tensor`, `Any`, `Optional<int>`, `Array<int>`.
 */
template <typename T>
class Array : public Sequence<Array<T>, T, ArrayObj> {
  using Base = Sequence<Array<T>, T, ArrayObj>;

 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Array, Base, ArrayObj);

  /*! \brief Constructs an empty array. */
  Array() : Base(ArrayObj::Empty()) {}
  /*! \brief Constructs an array from an initializer list. */
  Array(std::initializer_list<T> elements) : Array(elements.begin(), elements.end()) {}
  /*! \brief Constructs an array from a range. */
  template <typename Iter, typename = detail::EnableIfIterator<Iter>>
  Array(Iter first, Iter last) : Base(ArrayObj::Empty(Base::CountOf(first, last))) {
    ArrayObj* object = GetArrayObj();
    const int64_t capacity = object->cell_.capacity;
    for (int64_t size = 0; size < capacity && first != last; ++first) {
      new (object->MutableBegin() + size) Any(Base::Own(T(*first)));
      object->cell_.size = ++size;  // at once, because the next conversion may throw
    }
    this->AppendAll(first, last);
  }
  /*! \brief Constructs an array from a container such as std::vector<T>. */
  template <typename Range, typename = std::enable_if_t<detail::IsRangeOf<Range, T>::value>>
  Array(const Range& range) : Array(range.begin(), range.end()) {}  // NOLINT(runtime/explicit)
  /*! \brief Constructs an array with `size` copies of an element. */
  explicit Array(size_t size, const T& value) : Base(ArrayObj::Empty(static_cast<int64_t>(size))) {
    for (size_t i = 0; i < size; ++i) this->push_back(value);
  }
  /*! \brief Shares an Array whose elements are all valid as T, for example as an Array<Any>. */
  template <typename U, typename = std::enable_if_t<!std::is_same<T, U>::value &&
                                                    detail::TypeContains<T, U>::value>>
  Array(Array<U> other)  // NOLINT(runtime/explicit)
      : Base(ObjectUnsafe::PtrFromOwned<ArrayObj>(ObjectUnsafe::MoveToOwned(std::move(other)))) {}

  /*! \brief Returns the results of applying `function` to each element, in order. */
  template <typename F, typename U = std::decay_t<std::invoke_result_t<F, T>>>
  Array<U> Map(F function) const {
    Array<U> mapped;
    mapped.reserve(static_cast<int64_t>(this->size()));
    for (T value : *this) mapped.push_back(function(std::move(value)));
    return mapped;
  }
  /*! \brief Replaces each element with the result of `function`; stays shared if none changes. */
  template <typename F>
  void MutateByApply(F function) {
    const Array before = *this;  // Unchanged, whatever `function` does.
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
  /*! \brief Returns the object after making this handle its only owner. */
  ArrayObj* CopyOnWrite() { return Writable(static_cast<int64_t>(this->size())); }
  /*! \brief Returns the object, borrowed; NULL for a moved-from handle. */
  ArrayObj* GetArrayObj() const { return const_cast<ArrayObj*>(get()); }

 private:
  // The object if this handle can append to it in place; otherwise NULL.
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

/*! \brief Deduces the element type from a container such as std::vector<T>. */
template <typename Range, typename T = typename Range::value_type,
          typename = std::enable_if_t<detail::IsRangeOf<Range, T>::value>>
Array(const Range&) -> Array<T>;

/*! \brief Array has its own TypeTraits. */
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
