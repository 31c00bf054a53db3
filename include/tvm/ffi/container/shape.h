// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/shape.h
 * \brief Shapes: ShapeView borrows the extents, Shape owns them.
 */
#ifndef TVM_FFI_CONTAINER_SHAPE_H_
#define TVM_FFI_CONTAINER_SHAPE_H_

#include <tvm/ffi/any.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Borrowed extents, which must outlive the view. */
class ShapeView {
 public:
  ShapeView() = default;
  /*! \brief Refers to the `size` extents at `data`. */
  ShapeView(const int64_t* data, size_t size) : cell_{data, size} {}
  /*! \brief Refers to the extents of a list, which must outlive the view. */
  ShapeView(const std::initializer_list<int64_t>& extents)  // NOLINT(runtime/explicit)
      : cell_{extents.begin(), extents.size()} {}

  /*! \brief Pointer to the first extent. */
  const int64_t* data() const { return cell_.data; }
  /*! \brief Number of extents. */
  size_t size() const { return cell_.size; }
  /*! \brief Whether there are no extents. */
  bool empty() const { return cell_.size == 0; }
  /*! \brief Pointer to the first extent. */
  const int64_t* begin() const { return cell_.data; }
  /*! \brief Pointer past the last extent. */
  const int64_t* end() const { return cell_.data + cell_.size; }
  /*! \brief The extent at `i`, which must be below size(). */
  int64_t operator[](size_t i) const { return cell_.data[i]; }
  /*! \brief The extent at `i`; throws an IndexError if out of range. */
  int64_t at(size_t i) const {
    TVM_FFI_CHECK(i < size(), IndexError)
        << "ShapeView::at: expected an index below " << size() << ", got " << i;
    return cell_.data[i];
  }
  /*! \brief First extent; throws an IndexError if there is none. */
  int64_t front() const { return NotEmpty("front").cell_.data[0]; }
  /*! \brief Last extent; throws an IndexError if there is none. */
  int64_t back() const { return NotEmpty("back").cell_.data[size() - 1]; }
  /*! \brief Product of the extents; 1 if there are none. */
  int64_t Product() const {
    int64_t product = 1;
    for (int64_t extent : *this) product *= extent;
    return product;
  }
  /*! \brief Whether both have the same extents. */
  friend bool operator==(ShapeView a, ShapeView b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }
  /*! \brief Whether the extents differ. */
  friend bool operator!=(ShapeView a, ShapeView b) { return !(a == b); }

 private:
  const ShapeView& NotEmpty(const char* function) const {
    TVM_FFI_CHECK(!empty(), IndexError)
        << "ShapeView::" << function << ": expected an extent, got none";
    return *this;
  }

  TVMFFIShapeCell cell_{nullptr, 0};
};

/*! \brief Appends a shape to a message, in the form "(2, 3)". */
TVM_FFI_COLD inline void AppendTo(std::string* text, ShapeView shape) {
  Message message;
  const char* separator = "(";
  for (int64_t extent : shape) {
    message << separator << extent;
    separator = ", ";
  }
  message << (shape.empty() ? "()" : shape.size() == 1 ? ",)" : ")");
  *text += message.take();
}

/*! \brief A Shape object; its extents follow it in memory. */
class ShapeObj : public Object, public TVMFFIShapeCell {
 public:
  /*! \brief Fixed type index. */
  static constexpr int32_t _type_index = kTVMFFIShape;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Shape", ShapeObj, Object)
};

/*! \brief Extents that this object owns; immutable. */
class Shape : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Shape, ObjectRef, ShapeObj);

  /*! \brief Constructs a shape without extents, that of a 0-dim tensor. */
  Shape() : Shape(ShapeView()) {}
  /*! \brief Copies the extents. */
  Shape(ShapeView extents) : Shape(Make(extents)) {}  // NOLINT(runtime/explicit)
  /*! \brief Copies the extents. */
  Shape(std::initializer_list<int64_t> extents) : Shape(ShapeView(extents)) {}

  /*! \brief Copies the extents of a range. */
  template <typename Iter, typename = typename std::iterator_traits<Iter>::iterator_category>
  Shape(Iter first, Iter last) : Shape(Make(first, last)) {}
  /*! \brief Copies the extents of a container of `int64_t`, such as std::vector or Array. */
  template <typename Range,
            typename = std::enable_if_t<std::is_same<typename Range::value_type, int64_t>::value>>
  Shape(const Range& range) : Shape(range.begin(), range.end()) {}  // NOLINT(runtime/explicit)

  /*! \brief Returns a view, valid while this object lives. */
  operator ShapeView() const { return ShapeView(data(), size()); }
  /*! \brief Pointer to the first extent. */
  const int64_t* data() const { return get()->data; }
  /*! \brief Number of extents. */
  size_t size() const { return get()->size; }
  /*! \brief Whether there are no extents. */
  bool empty() const { return size() == 0; }
  /*! \brief Pointer to the first extent. */
  const int64_t* begin() const { return data(); }
  /*! \brief Pointer past the last extent. */
  const int64_t* end() const { return data() + size(); }
  /*! \brief The extent at `i`, which must be below size(). */
  int64_t operator[](size_t i) const { return data()[i]; }
  /*! \brief The extent at `i`; throws an IndexError if out of range. */
  int64_t at(size_t i) const { return ShapeView(*this).at(i); }
  /*! \brief First extent; throws an IndexError if there is none. */
  int64_t front() const { return ShapeView(*this).front(); }
  /*! \brief Last extent; throws an IndexError if there is none. */
  int64_t back() const { return ShapeView(*this).back(); }
  /*! \brief Product of the extents; 1 if there are none. */
  int64_t Product() const { return ShapeView(*this).Product(); }
  /*! \brief Returns the row-major strides, in elements, of a tensor of this shape. */
  static Shape StridesFromShape(ShapeView shape) {
    ObjectPtr<ShapeObj> object = MakeOfSize(shape.size());
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) Extents(object)[i] = stride;
    return Shape(std::move(object));
  }

 private:
  static ObjectPtr<ShapeObj> Make(ShapeView extents) {
    ObjectPtr<ShapeObj> object = MakeOfSize(extents.size());
    for (size_t i = 0; i < extents.size(); ++i) Extents(object)[i] = extents[i];
    return object;
  }
  template <typename Iter>
  static ObjectPtr<ShapeObj> Make(Iter first, Iter last) {
    ObjectPtr<ShapeObj> object = MakeOfSize(static_cast<size_t>(std::distance(first, last)));
    for (int64_t* extent = Extents(object); first != last; ++first) *extent++ = *first;
    return object;
  }
  static ObjectPtr<ShapeObj> MakeOfSize(size_t size) {
    TVM_FFI_CHECK(size <= PTRDIFF_MAX / 2 / sizeof(int64_t), ValueError)
        << "Shape: expected a number of extents that fits into memory, got " << size;
    ObjectPtr<ShapeObj> object = detail::MakeObjectWithTail<ShapeObj>(size * sizeof(int64_t));
    object->data = Extents(object);
    object->size = size;
    return object;
  }
  static int64_t* Extents(const ObjectPtr<ShapeObj>& object) {
    return reinterpret_cast<int64_t*>(object.get() + 1);
  }

  friend struct TypeTraits<Shape>;
};

/*! \brief Shape has its own TypeTraits. */
template <>
inline constexpr bool use_default_type_traits_v<Shape> = false;

/*! \brief Shapes; an Array or List of integers, such as a Python tuple or list, also converts.
 */
template <>
struct TypeTraits<Shape> : public ObjectRefTraits<Shape> {
  static std::optional<Shape> TryCastFromAnyView(const TVMFFIAny* any) {
    if (CheckAnyStrict(any)) return CopyFromAnyViewAfterCheck(any);
    if (any->type_index != kTVMFFIArray && any->type_index != kTVMFFIList) return std::nullopt;
    const auto* values = reinterpret_cast<const TVMFFISeqCell*>(any->v_obj + 1);
    const auto* value = static_cast<const TVMFFIAny*>(values->data);
    const auto size = static_cast<size_t>(values->size);
    ObjectPtr<ShapeObj> object = Shape::MakeOfSize(size);
    int64_t* extents = Shape::Extents(object);
    for (size_t i = 0; i < size; ++i) {
      std::optional<int64_t> extent = TypeTraits<int64_t>::TryCastFromAnyView(value + i);
      if (!extent.has_value()) return std::nullopt;
      extents[i] = *extent;
    }
    return Shape(std::move(object));
  }
};

/*! \brief Appends a shape to a message, in the form "(2, 3)". */
inline void AppendTo(std::string* text, const Shape& shape) { AppendTo(text, ShapeView(shape)); }

/*! \brief Writes a shape to a stream, in the form "(2, 3)", if the user has included `ostream`. */
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             ShapeView shape) {
  std::string text;
  AppendTo(&text, shape);
  return out << text;
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_SHAPE_H_
