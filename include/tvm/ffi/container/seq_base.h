// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/seq_base.h
 * \brief The storage and the element operations shared by Array and List.
 */
#ifndef TVM_FFI_CONTAINER_SEQ_BASE_H_
#define TVM_FFI_CONTAINER_SEQ_BASE_H_

#include <tvm/ffi/any.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Whether a container can hold a T: whether an Any can own one.
template <typename T, typename = void>
struct IsElement : public std::false_type {};
template <typename T>
struct IsElement<T, std::void_t<decltype(TypeTraits<T>::MoveToAny(std::declval<T>(), nullptr)),
                                decltype(TypeTraits<T>::CopyFromAnyViewAfterCheck(nullptr))>>
    : public std::true_type {};

[[noreturn]] TVM_FFI_COLD inline void ThrowBadIndex(const char* type_key, int64_t index,
                                                    int64_t size) {
  Message expected;
  if (size == 0) {
    expected << "an element";
  } else {
    expected << "an index from 0 to " << size - 1;
  }
  TVM_FFI_THROW(IndexError) << ShownTypeKey(type_key) << ": expected " << expected.take()
                            << ", got index " << index << " of " << size << " elements";
}

[[noreturn]] TVM_FFI_COLD inline void ThrowNoElement(const char* type_key, const char* function) {
  TVM_FFI_THROW(IndexError) << ShownTypeKey(type_key) << "::" << function
                            << ": expected an element, got none";
}

[[noreturn]] TVM_FFI_COLD inline void ThrowBadSize(const char* type_key, int64_t size) {
  TVM_FFI_THROW(ValueError) << ShownTypeKey(type_key)
                            << ": expected a number of elements that is not negative and fits into "
                               "memory, got "
                            << size;
}

// Size in bytes of `capacity` elements.
inline size_t SeqBytes(const char* type_key, int64_t capacity) {
  constexpr auto kMost = static_cast<int64_t>(PTRDIFF_MAX / sizeof(TVMFFIAny) / 2);
  if (capacity < 0 || capacity > kMost) ThrowBadSize(type_key, capacity);
  return static_cast<size_t>(capacity) * sizeof(TVMFFIAny);
}

// Elements removed from a container. They are destroyed with this object, once the container is
// consistent again: a destructor may reenter the handle, and change or free what it holds.
class TakenElements {
 public:
  // Moves out the bytes of `count` elements starting at `first`, which then hold no elements.
  TakenElements(const Any* first, int64_t count) {
    // Trailing values that are not objects need no destruction and no space.
    while (count > 0 && first[count - 1].type_index() < kTVMFFIStaticObjectBegin) --count;
    if (count == 0) return;
    const size_t bytes = static_cast<size_t>(count) * sizeof(TVMFFIAny);
    elements_ = static_cast<Any*>(::operator new(bytes));
    std::memcpy(static_cast<void*>(elements_), static_cast<const void*>(first), bytes);
    count_ = count;
  }
  TakenElements(const TakenElements&) = delete;
  TakenElements& operator=(const TakenElements&) = delete;
  ~TakenElements() {
    while (count_ > 0) elements_[--count_].~Any();
    ::operator delete(elements_);
  }

 private:
  Any* elements_{nullptr};
  int64_t count_{0};
};

}  // namespace detail

/*! \brief Base of the Array and List objects: values stored contiguously. */
class SeqBaseObj : public Object {
 public:
  SeqBaseObj() : cell_{nullptr, 0, 0, nullptr} {}
  ~SeqBaseObj() {
    Any* elements = MutableBegin();
    for (int64_t i = cell_.size; i-- > 0;) elements[i].~Any();
    if (cell_.data_deleter != nullptr) cell_.data_deleter(cell_.data);
  }

  /*! \brief Number of elements. */
  size_t size() const { return static_cast<size_t>(cell_.size); }
  /*! \brief Number of elements that fit without reallocation. */
  size_t capacity() const { return static_cast<size_t>(cell_.capacity); }
  /*! \brief Whether the sequence is empty. */
  bool empty() const { return size() == 0; }
  /*! \brief Pointer to the first element; may be NULL if there are none. */
  const Any* begin() const { return static_cast<const Any*>(cell_.data); }
  /*! \brief Pointer past the last element. */
  const Any* end() const { return begin() + cell_.size; }
  /*! \brief The element at `i`; throws an IndexError if out of range. */
  const Any& at(int64_t i) const {
    if (i < 0 || i >= cell_.size) {
      const bool list = type_index() == kTVMFFIList;
      detail::ThrowBadIndex(list ? "ffi.List" : "ffi.Array", i, cell_.size);
    }
    return begin()[i];
  }
  /*! \brief The element at `i`; throws an IndexError if out of range. */
  const Any& operator[](int64_t i) const { return at(i); }

 protected:
  /*! \brief The contents, in the layout of the C ABI. */
  TVMFFISeqCell cell_;

  /*! \brief Mutable pointer to the first element. */
  Any* MutableBegin() { return static_cast<Any*>(cell_.data); }
  /*! \brief Appends an element; there must be room. */
  void Append(Any&& value) {
    new (MutableBegin() + cell_.size) Any(std::move(value));
    ++cell_.size;
  }
  /*! \brief Moves in all elements of `other`, leaving it empty; there must be room. */
  void TakeAll(SeqBaseObj* other) {
    if (other->empty()) return;
    std::memcpy(cell_.data, other->cell_.data, other->size() * sizeof(TVMFFIAny));
    cell_.size = std::exchange(other->cell_.size, 0);
  }
  /*! \brief Moves the elements from `middle` to the end in front of those starting at `first`. */
  void Rotate(int64_t first, int64_t middle) {
    Reverse(first, middle);
    Reverse(middle, cell_.size);
    Reverse(first, cell_.size);
  }
  /*! \brief Removes and returns the element at `i`. */
  Any Take(int64_t i) {
    Any taken = std::move(MutableBegin()[i]);
    Close(i, 1);
    return taken;
  }
  /*! \brief Closes the gap of `count` elements that were moved out starting at `first`. */
  void Close(int64_t first, int64_t count) {
    const auto behind = static_cast<size_t>(cell_.size - first - count);
    std::memmove(Raw() + first, Raw() + first + count, behind * sizeof(TVMFFIAny));
    cell_.size -= count;
  }

 private:
  void Reverse(int64_t first, int64_t last) {
    while (first < --last) std::swap(Raw()[first++], Raw()[last]);
  }
  // The elements as raw values: they can be moved bytewise, since nothing points to them.
  TVMFFIAny* Raw() { return static_cast<TVMFFIAny*>(cell_.data); }

  template <typename, typename, typename>
  friend class Sequence;
};

static_assert(sizeof(SeqBaseObj) == sizeof(TVMFFIObject) + sizeof(TVMFFISeqCell),
              "the cell stands directly behind the head");
static_assert(sizeof(Any) == sizeof(TVMFFIAny), "Any is laid out like TVMFFIAny");

namespace detail {

// Converts a List element of another type to T.
template <typename T>
TVM_FFI_COLD T ConvertElement(Any element) {
  // Owned, because a conversion may reenter and change the list.
  std::optional<T> converted = element.template try_cast<T>();
  if (!converted.has_value()) {
    TVM_FFI_THROW(TypeError) << "List: expected an element of type " << TypeTraits<T>::TypeStr()
                             << ", got " << MismatchText<T>(Raw(element));
  }
  return *std::move(converted);
}

}  // namespace detail

/*!
 * \brief Iterates over the elements of an Array or a List, returning each as a copy.
 * \tparam T Element type.
 * \tparam kChecked Whether elements may be of another type, as in a List.
 */
template <typename T, bool kChecked = false>
class SeqIterator {
 public:
  /*! \brief Iterator category: random access. */
  using iterator_category = std::random_access_iterator_tag;
  /*! \brief Element type. */
  using value_type = T;
  /*! \brief Type of a distance between iterators. */
  using difference_type = std::ptrdiff_t;
  /*! \brief There are no pointers to elements. */
  using pointer = void;
  /*! \brief Elements are returned by value. */
  using reference = T;

  SeqIterator() = default;
  /*! \brief Points to an element of the object. */
  explicit SeqIterator(const Any* at) : at_(at) {}

  /*! \brief Returns a copy of the element. */
  T operator*() const {
    if constexpr (kChecked) {
      if (!TypeTraits<T>::CheckAnyStrict(detail::Raw(*at_))) return detail::ConvertElement<T>(*at_);
    }
    return TypeTraits<T>::CopyFromAnyViewAfterCheck(reinterpret_cast<const TVMFFIAny*>(at_));
  }
  /*! \brief Returns a copy of the element `n` positions ahead. */
  T operator[](difference_type n) const { return *(*this + n); }
  /*! \brief Advances by one element. */
  SeqIterator& operator++() { return *this += 1; }
  /*! \brief Advances by one element; returns the old position. */
  SeqIterator operator++(int) { return SeqIterator(at_++); }
  /*! \brief Moves back by one element. */
  SeqIterator& operator--() { return *this -= 1; }
  /*! \brief Moves back by one element; returns the old position. */
  SeqIterator operator--(int) { return SeqIterator(at_--); }
  /*! \brief Advances by `n` elements. */
  SeqIterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  /*! \brief Moves back by `n` elements. */
  SeqIterator& operator-=(difference_type n) { return *this += -n; }
  /*! \brief Returns the position `n` elements ahead. */
  friend SeqIterator operator+(SeqIterator it, difference_type n) { return it += n; }
  /*! \brief Returns the position `n` elements ahead. */
  friend SeqIterator operator+(difference_type n, SeqIterator it) { return it += n; }
  /*! \brief Returns the position `n` elements back. */
  friend SeqIterator operator-(SeqIterator it, difference_type n) { return it -= n; }
  /*! \brief Number of elements from `b` to `a`. */
  friend difference_type operator-(SeqIterator a, SeqIterator b) { return a.at_ - b.at_; }
  /*! \brief Whether both point to the same element. */
  friend bool operator==(SeqIterator a, SeqIterator b) { return a.at_ == b.at_; }
  /*! \brief Whether they point to different elements. */
  friend bool operator!=(SeqIterator a, SeqIterator b) { return a.at_ != b.at_; }
  /*! \brief Whether `a` comes before `b`. */
  friend bool operator<(SeqIterator a, SeqIterator b) { return a.at_ < b.at_; }
  /*! \brief Whether `a` comes after `b`. */
  friend bool operator>(SeqIterator a, SeqIterator b) { return b < a; }
  /*! \brief Whether `a` does not come after `b`. */
  friend bool operator<=(SeqIterator a, SeqIterator b) { return !(b < a); }
  /*! \brief Whether `a` does not come before `b`. */
  friend bool operator>=(SeqIterator a, SeqIterator b) { return !(a < b); }

 private:
  const Any* at_ = nullptr;
};

namespace detail {

// Other holders of a List may put elements of other types into it.
template <typename T, typename Obj>
using SeqIteratorOf = SeqIterator<T, Obj::_type_mutable>;

}  // namespace detail

/*!
 * \brief The operations shared by the Array and List handles.
 *
 * A handle that was moved from or constructed with UnsafeInit counts as empty and can be refilled.
 * Iterators are valid until the elements change. Changes from several threads require a lock held
 * by the caller.
 * \tparam Derived Array<T> or List<T>. Its `Writable(n)` returns the object to modify, with room
 *         for `n` elements.
 * \tparam T Element type: any type that an Any can own.
 * \tparam Obj Object type.
 */
template <typename Derived, typename T, typename Obj>
class Sequence : public ObjectRef {
 public:
  /*! \brief Element type. */
  using value_type = T;
  /*! \brief Iterates over the elements. */
  using iterator = detail::SeqIteratorOf<T, Obj>;
  /*! \brief Iterates over the elements. */
  using const_iterator = iterator;
  /*! \brief Iterates over the elements from last to first. */
  using reverse_iterator = std::reverse_iterator<iterator>;

  /*! \brief Number of elements. */
  size_t size() const { return defined() ? object()->size() : 0; }
  /*! \brief Number of elements that fit without reallocation. */
  size_t capacity() const { return defined() ? object()->capacity() : 0; }
  /*! \brief Whether the sequence is empty. */
  bool empty() const { return size() == 0; }
  /*! \brief Iterator to the first element. */
  iterator begin() const { return iterator(defined() ? object()->begin() : nullptr); }
  /*! \brief Iterator past the last element. */
  iterator end() const { return begin() + static_cast<std::ptrdiff_t>(size()); }
  /*! \brief Reverse iterator to the last element. */
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  /*! \brief Reverse iterator before the first element. */
  reverse_iterator rend() const { return reverse_iterator(begin()); }
  /*! \brief Returns a copy of the element at `i`; throws an IndexError if out of range. */
  const T operator[](int64_t i) const { return begin()[Checked(i)]; }  // const: views accept it
  /*! \brief Same as operator[]. This runtime only: the published headers have only operator[]. */
  T at(int64_t i) const { return (*this)[i]; }
  /*! \brief The first element; throws an IndexError if there is none. */
  T front() const {
    if (empty()) detail::ThrowNoElement(Obj::_type_key, "front");
    return *begin();
  }
  /*! \brief The last element; throws an IndexError if there is none. */
  T back() const {
    if (empty()) detail::ThrowNoElement(Obj::_type_key, "back");
    return end()[-1];
  }

  /*! \brief Replaces the element at `i`; throws an IndexError if out of range. */
  void Set(int64_t i, T value) {
    Any owned = Own(std::move(value));
    Checked(i);
    // The old element is destroyed last, with `owned`: its destructor may reenter this object.
    std::swap(Writable(Size())->MutableBegin()[i], owned);
  }
  /*! \brief Appends an element. */
  void push_back(const T& value) { Append(Own(value)); }
  /*! \brief Constructs a T from `args` and appends it. */
  template <typename... Args>
  void emplace_back(Args&&... args) {
    Append(Own(T(std::forward<Args>(args)...)));
  }
  /*! \brief Removes the last element; throws an IndexError if there is none. */
  void pop_back() {
    if (empty()) detail::ThrowNoElement(Obj::_type_key, "pop_back");
    const Any gone = Writable(Size())->Take(Size() - 1);
  }
  /*! \brief Inserts an element before `position`. */
  void insert(iterator position, const T& value) {
    const int64_t index = PlaceOf(position);
    Any owned = Own(value);
    const int64_t before = SizeFrom(index);
    Append(std::move(owned));
    Writable(Size())->Rotate(index, before);
  }
  /*! \brief Inserts the elements of a range before `position`. */
  template <typename Iter>
  void insert(iterator position, Iter first, Iter last) {
    const int64_t index = PlaceOf(position);
    // Converted first, so that a range within this handle is read before it changes.
    Derived added(first, last);
    const int64_t before = SizeFrom(index);
    if (added.empty()) return;
    Obj* object = Writable(before + added.Size());
    for (const Any& value : *added.object()) object->Append(Any(value));
    object->Rotate(index, before);
  }
  /*! \brief Removes the element at `position`; throws an IndexError at the end. */
  void erase(iterator position) {
    const int64_t index = Checked(position - begin());
    const Any gone = Writable(Size())->Take(index);
  }
  /*! \brief Removes the elements from `first` up to, but not including, `last`. */
  void erase(iterator first, iterator last) {
    const int64_t from = PlaceOf(first);
    const int64_t to = PlaceOf(last);
    if (from > to) detail::ThrowBadIndex(Obj::_type_key, from, to);
    if (from != to) Remove(from, to - from);
  }
  /*! \brief Resizes; new elements are `T()`. Throws a ValueError if `size` is negative. */
  void resize(int64_t size) {
    if (size < 0) detail::ThrowBadSize(Obj::_type_key, size);
    if (size < Size()) return Remove(size, Size() - size);
    reserve(size);
    while (Size() < size) emplace_back();
  }
  /*! \brief Reserves room for `capacity` elements. */
  void reserve(int64_t capacity) {
    if (capacity > static_cast<int64_t>(this->capacity())) Writable(capacity);
  }
  /*! \brief Removes all elements. */
  void clear() {
    if (!empty()) static_cast<Derived*>(this)->RemoveAll();
  }
  /*! \brief Replaces all elements with those of a range. */
  template <typename Iter>
  void Assign(Iter first, Iter last) {
    static_cast<Derived*>(this)->Replace(Derived(first, last));
  }

 protected:
  using ObjectRef::ObjectRef;

  /*! \brief Appends the elements of a range. */
  template <typename Iter>
  void AppendAll(Iter first, Iter last) {
    for (; first != last; ++first) Append(Own(T(*first)));
  }
  /*! \brief Number of elements to reserve for a range; 0 if counting would consume the range. */
  template <typename Iter>
  static int64_t CountOf(Iter first, Iter last) {
    using Category = typename std::iterator_traits<Iter>::iterator_category;
    if constexpr (std::is_base_of<std::forward_iterator_tag, Category>::value) {
      return static_cast<int64_t>(std::distance(first, last));
    }
    return 0;
  }

 private:
  int64_t Size() const { return static_cast<int64_t>(size()); }
  const Obj* object() const { return static_cast<const Obj*>(data_.get()); }
  Obj* Writable(int64_t capacity) { return static_cast<Derived*>(this)->Writable(capacity); }

  static Any Own(T value) {
    static_assert(detail::IsElement<T>::value,
                  "an element must own its value: Tensor or String, not a view of one");
    return Any(std::move(value));
  }
  void Append(Any&& value) {
    Obj* ready = static_cast<Derived*>(this)->WithRoom();
    (ready != nullptr ? ready : Grown())->Append(std::move(value));
  }
  // The object to modify, with room for one more element.
  TVM_FFI_NOINLINE Obj* Grown() {
    const auto capacity = static_cast<int64_t>(this->capacity());
    const int64_t grown = capacity < 2 ? 4 : 2 * capacity;
    return Writable(Size() < capacity ? capacity : grown);
  }
  // Removes `count` elements starting at `first`.
  void Remove(int64_t first, int64_t count) {
    Obj* object = Writable(Size());
    const detail::TakenElements gone(object->MutableBegin() + first, count);
    object->Close(first, count);
  }
  // Returns `i`, which must be the index of an element.
  int64_t Checked(int64_t i) const {
    if (i < 0 || i >= Size()) detail::ThrowBadIndex(Obj::_type_key, i, Size());
    return i;
  }
  // The index of a position, which may be past the last element.
  int64_t PlaceOf(iterator position) const {
    const int64_t index = position - begin();
    if (index < 0 || index > Size()) detail::ThrowBadIndex(Obj::_type_key, index, Size());
    return index;
  }
  // Number of elements; throws if a conversion removed any before `index`.
  int64_t SizeFrom(int64_t index) const {
    if (index > Size()) detail::ThrowBadIndex(Obj::_type_key, index, Size());
    return Size();
  }

  template <typename, typename, typename>
  friend class Sequence;
  friend Derived;
};

namespace detail {

// Whether Range is a standard container, or similar to one, with elements of type T.
template <typename Range, typename T, typename = void>
struct IsRangeOf : public std::false_type {};
template <typename Range, typename T>
struct IsRangeOf<Range, T,
                 std::void_t<decltype(std::declval<const Range&>().begin() !=
                                      std::declval<const Range&>().end()),
                             typename Range::value_type>>
    : public std::bool_constant<std::is_same<typename Range::value_type, T>::value &&
                                !std::is_base_of<ObjectRef, Range>::value> {};

template <typename Iter>
using EnableIfIterator = typename std::iterator_traits<Iter>::iterator_category;

// The object of an Array or a List; NULL for any other value.
inline const SeqBaseObj* AsSeq(const TVMFFIAny* any) {
  const bool is_seq = any->type_index == kTVMFFIArray || any->type_index == kTVMFFIList;
  return is_seq ? static_cast<const SeqBaseObj*>(reinterpret_cast<const Object*>(any->v_obj))
                : nullptr;
}

// The element at `i`, owned, or None past the end: converting it may reenter and change the
// sequence.
inline Any ElementAt(const SeqBaseObj& seq, size_t i) {
  return i < seq.size() ? seq.begin()[i] : Any();
}

// Whether all elements are exactly of type T.
template <typename T>
bool AllStrict(const SeqBaseObj& seq) {
  if constexpr (!std::is_same<T, Any>::value) {
    for (const Any& value : seq) {
      if (!TypeTraits<T>::CheckAnyStrict(Raw(value))) return false;
    }
  }
  return true;
}

// Whether the element at `i` converts to T; if not, sets `text`: "Array with str at index 2".
template <typename T>
TVM_FFI_COLD bool ElementFits(const TVMFFIAny* any, size_t i, std::string* text) {
  const Any value = ElementAt(*AsSeq(any), i);
  if (TypeTraits<T>::TryCastFromAnyView(Raw(value)).has_value()) return true;
  *text = ElementText(any, MismatchText<T>(Raw(value)), static_cast<int64_t>(i));
  return false;
}

// Names the first element that does not fit, or the value if it is not an Array or a List.
template <typename T>
TVM_FFI_COLD std::string ElementMismatch(const TVMFFIAny* any) {
  const SeqBaseObj* seq = AsSeq(any);
  if (seq != nullptr) {
    std::string text;
    for (size_t i = 0; i < seq->size(); ++i) {
      if (!ElementFits<T>(any, i, &text)) return text;
    }
  }
  return ValueText(any);
}

// TypeTraits of Array and List; each converts to the other.
template <typename Seq, typename T, typename Obj>
struct SequenceTraits : public ObjectRefTraits<Seq> {
  static bool CheckAnyStrict(const TVMFFIAny* any) {
    return any->type_index == Obj::_type_index && AllStrict<T>(*AsSeq(any));
  }
  static std::optional<Seq> TryCastFromAnyView(const TVMFFIAny* any) {
    const SeqBaseObj* seq = AsSeq(any);
    if (seq == nullptr) return std::nullopt;
    if (CheckAnyStrict(any)) return ObjectRefTraits<Seq>::CopyFromAnyViewAfterCheck(any);
    Seq converted;
    converted.reserve(static_cast<int64_t>(seq->size()));
    for (size_t i = 0; i < seq->size(); ++i) {
      const Any value = ElementAt(*seq, i);
      std::optional<T> element = TypeTraits<T>::TryCastFromAnyView(Raw(value));
      if (!element.has_value()) return std::nullopt;
      converted.push_back(*std::move(element));
    }
    return converted;
  }
  static std::string TypeStr() {
    return ShownTypeKey(Obj::_type_key) + "[" + TypeTraits<T>::TypeStr() + "]";
  }
  static std::string TypeSchema() { return SchemaText<T>(Obj::_type_key); }
  static std::string GetMismatchTypeInfo(const TVMFFIAny* any) { return ElementMismatch<T>(any); }
};

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_SEQ_BASE_H_
