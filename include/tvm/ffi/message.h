// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/message.h
 * \brief The text of an error, built with `<<` without the cost of the standard streams.
 */
#ifndef TVM_FFI_MESSAGE_H_
#define TVM_FFI_MESSAGE_H_

#include <tvm/ffi/decimal_point.h>
#include <tvm/ffi/object.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class Message;

namespace detail {

// A std::streambuf that appends to a string. A template, so that it is compiled only where a type's
// own operator<< is used; code with such an operator has already included <ostream>.
template <typename Char>
class StringBuffer : public std::basic_streambuf<Char> {
 public:
  explicit StringBuffer(std::string* out) : out_(out) {}

 protected:
  typename std::basic_streambuf<Char>::int_type overflow(
      typename std::basic_streambuf<Char>::int_type c) override {
    out_->push_back(static_cast<Char>(c));
    return c;
  }

 private:
  std::string* out_;
};

// Discards the error that this thread has raised.
TVM_FFI_COLD inline void DropRaised() {
  TVMFFIObjectHandle error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error != nullptr) ObjectUnsafe::DecRef(static_cast<TVMFFIObject*>(error));
}

// Returns the text of an owned string and frees the string.
TVM_FFI_COLD inline std::string TakeString(const TVMFFIAny& any) {
  if (any.type_index == kTVMFFISmallStr) return std::string(any.v_bytes, any.small_str_len);
  const auto* bytes = reinterpret_cast<const TVMFFIByteArray*>(any.v_obj + 1);
  std::string text(bytes->data, bytes->size);
  ObjectUnsafe::DecRef(any.v_obj);
  return text;
}

}  // namespace detail

/*!
 * \brief Collects the text of a message.
 *
 * Accepts numbers, strings, enumerators, pointers and the types of this library; other types use
 * their own `operator<<` for std::ostream.
 */
class Message {
 public:
  /*! \brief This message as an lvalue, so that free operators can bind to it. */
  Message& self() { return *this; }

  /*! \brief The text; the message is empty afterwards. */
  std::string take() { return std::exchange(text_, std::string()); }

  /*! \brief Number of bytes so far. */
  size_t size() const { return text_.size(); }

  /*! \brief Appends a value. */
  template <typename T>
  Message& operator<<(const T& value) {
    if constexpr (std::is_same<T, bool>::value) {
      text_ += value ? "true" : "false";
    } else if constexpr (std::is_same<T, char>::value) {
      text_ += value;
    } else if constexpr (std::is_enum<T>::value) {
      *this << static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (std::is_integral<T>::value) {
      AppendInteger(static_cast<int64_t>(value), std::is_signed<T>::value);
    } else if constexpr (std::is_floating_point<T>::value) {
      AppendFloat(static_cast<double>(value), std::is_same<T, float>::value);
    } else if constexpr (std::is_convertible<const T&, const char*>::value) {
      const char* text = value;
      text_ += text == nullptr ? "(null)" : text;
    } else if constexpr (std::is_convertible<const T&, std::string_view>::value) {
      text_ += std::string_view(value);
    } else if constexpr (std::is_same<T, DLDevice>::value) {
      AppendDevice(value);
    } else if constexpr (std::is_same<T, DLDataType>::value) {
      AppendDataType(value);
    } else if constexpr (std::is_convertible<const T&, const void*>::value) {
      AppendPointer(value);
    } else if constexpr (HasAppendTo<T>(0)) {
      AppendTo(&text_, value);
    } else {
      AppendStreamed(value);
    }
    return *this;
  }

 private:
  template <typename T>
  static constexpr auto HasAppendTo(int)
      -> decltype(AppendTo(static_cast<std::string*>(nullptr), std::declval<const T&>()), bool()) {
    return true;
  }
  template <typename T>
  static constexpr bool HasAppendTo(...) {
    return false;
  }

  template <typename T, typename Char = char>
  void AppendStreamed(const T& value) {
    detail::StringBuffer<Char> buffer(&text_);
    std::basic_ostream<Char> stream(&buffer);
    stream << value;
  }

  // By hand, because std::to_string emits symbols that the loader merges between libraries.
  TVM_FFI_COLD void AppendInteger(int64_t value, bool is_signed) {
    char digits[20];  // of 2^64 - 1; a negative number has a sign and at most 19
    char* const end = digits + sizeof(digits);
    char* first = end;
    const bool negative = is_signed && value < 0;
    uint64_t rest = negative ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
      *--first = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (negative) *--first = '-';
    text_ += std::string_view(first, static_cast<size_t>(end - first));
  }

  // Uses the lowest of a few precisions that reads back as the same number.
  TVM_FFI_COLD void AppendFloat(double value, bool is_float) {
    char digits[32];
    for (int precision : {6, 9, 15, 17}) {
      std::snprintf(digits, sizeof(digits), "%.*g", precision, value);
      const double read = std::strtod(digits, nullptr);
      if (read == value || (is_float && static_cast<float>(read) == static_cast<float>(value))) {
        break;
      }
    }
    detail::UsePoint(digits);
    text_ += digits;
  }

  TVM_FFI_COLD void AppendPointer(const void* value) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%p", value);
    text_ += digits;
  }

  TVM_FFI_COLD void AppendDataType(DLDataType dtype) {
    TVMFFIAny text{};
    if (TVMFFIDataTypeToString(&dtype, &text) == 0) {
      text_ += detail::TakeString(text);
    } else {
      detail::DropRaised();
      *this << "dtype(code " << dtype.code << ", bits " << dtype.bits << ", lanes " << dtype.lanes
            << ")";
    }
  }

  TVM_FFI_COLD void AppendDevice(DLDevice device) {
    static constexpr const char* kNames[] = {
        nullptr,  "cpu",    "cuda",    "cuda_host", "opencl",    nullptr,   nullptr,
        "vulkan", "metal",  "vpi",     "rocm",      "rocm_host", "ext_dev", "cuda_managed",
        "oneapi", "webgpu", "hexagon", "maia",      "trn"};
    const auto type = static_cast<size_t>(device.device_type);
    if (type < sizeof(kNames) / sizeof(kNames[0]) && kNames[type] != nullptr) {
      text_ += kNames[type];
    } else {
      *this << "device_type(" << device.device_type << ")";
    }
    *this << ":" << device.device_id;
  }

  std::string text_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_MESSAGE_H_
