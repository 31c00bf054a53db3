// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/error.h
 * \brief Errors with a kind that becomes the Python exception of that name, and the macros that
 * throw them.
 */
#ifndef TVM_FFI_ERROR_H_
#define TVM_FFI_ERROR_H_

#include <tvm/ffi/message.h>
#include <tvm/ffi/object.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief Thrown through C++ when the host has its own error set (a call returned -2).
 *
 * Do not catch it, except to clean up and rethrow.
 */
struct EnvErrorAlreadySet : public std::exception {
  /*! \brief Says what the type means. */
  const char* what() const noexcept override { return "an error is already set in the host"; }
};

/*! \brief An error object. */
class ErrorObj : public Object, public TVMFFIErrorCell {
 public:
  /*! \brief Fixed index of the type. */
  static constexpr int32_t _type_index = kTVMFFIError;
  /*! \brief No other type derives from it. */
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("ffi.Error", ErrorObj, Object)
};

/*! \brief An exception that crosses languages: a kind, a message and a backtrace. */
class Error : public ObjectRef, public std::exception {
 public:
  /*! \brief Type of the object behind the handle. */
  using ContainerType = ErrorObj;
  /*! \brief An Error is never null. */
  static constexpr bool _type_is_nullable = false;

  /*! \brief An error without a backtrace of its own. */
  Error(const std::string& kind, const std::string& message, const std::string& backtrace = "")
      : Error(kind, message, TVMFFIByteArray{backtrace.data(), backtrace.size()}) {}

  /*!
   * \brief An error with a backtrace as TVMFFIBacktrace gives it.
   * \param kind Name of the exception that it becomes in Python, for example "ValueError".
   * \param message What is wrong: subject, expected, got.
   * \param backtrace The most recent call first.
   * \throws std::bad_alloc when memory is short.
   */
  Error(const std::string& kind, const std::string& message, const TVMFFIByteArray& backtrace) {
    TVMFFIByteArray kind_bytes{kind.data(), kind.size()};
    TVMFFIByteArray message_bytes{message.data(), message.size()};
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIErrorCreate(&kind_bytes, &message_bytes, &backtrace, &handle) != 0) {
      throw std::bad_alloc();
    }
    data_ = ObjectUnsafe::PtrFromOwned<Object>(handle);
  }

  /*! \brief Owns what `data` owns, an ErrorObj. */
  explicit Error(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  /*! \brief Shares the error. */
  Error(const Error& other) noexcept : ObjectRef(other), std::exception(other) {}
  /*! \brief Shares the error. */
  Error& operator=(const Error& other) noexcept {
    data_ = other.data_;
    return *this;
  }

  /*! \brief The object. */
  const ErrorObj* operator->() const { return static_cast<const ErrorObj*>(data_.get()); }
  /*! \brief Kind, for example "ValueError". */
  std::string kind() const { return Text(operator->()->kind); }
  /*! \brief Message. */
  std::string message() const { return Text(operator->()->message); }
  /*! \brief Backtrace, the most recent call first. */
  std::string backtrace() const { return Text(operator->()->backtrace); }
  /*! \brief The error that caused this one, if any. */
  std::optional<Error> cause_chain() const {
    if (operator->()->cause_chain == nullptr) return std::nullopt;
    return Error(ObjectUnsafe::PtrFromBorrowed<Object>(operator->()->cause_chain));
  }

  /*! \brief "Kind: message"; valid while this object lives. */
  const char* what() const noexcept override {
    try {
      what_ = kind() + ": " + message();
      return what_.c_str();
    } catch (...) {
      return operator->()->message.data;
    }
  }

 private:
  static std::string Text(const TVMFFIByteArray& bytes) {
    return std::string(bytes.data, bytes.size);
  }

  mutable std::string what_;  // made by what()
};

namespace detail {

// Throws what a finished message says. Assignment binds looser than `<<`, so that
// `Thrower{...} = Message().self() << a << b` is one expression, and no destructor throws.
struct Thrower {
  const char* kind;
  const char* file;
  int line;
  const char* function;
  const char* condition = nullptr;
  bool log = false;

  [[noreturn]] TVM_FFI_COLD void operator=(Message& message) const {
    std::string text = message.take();
    if (text.empty() && condition != nullptr) {
      text = std::string("check failed: ") + condition;
    }
    Error error(kind, text, *TVMFFIBacktrace(file, line, function, 0));
    if (log) std::fprintf(stderr, "%s\n", error.what());
    throw error;
  }
};

// Throws the error that a C function left behind with the code it returned.
[[noreturn]] TVM_FFI_COLD inline void ThrowRaised(int code) {
  if (code == -2) throw EnvErrorAlreadySet();
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) {
    throw Error("InternalError", (Message().self() << "a call returned " << code
                                                   << " and raised no error to say why")
                                     .take());
  }
  throw Error(ObjectUnsafe::PtrFromOwned<Object>(handle));
}

// Raises the exception being handled through the C ABI and returns the code that says so.
TVM_FFI_COLD inline int RaiseCurrentException() noexcept {
  try {
    throw;
  } catch (const EnvErrorAlreadySet&) {
    return -2;
  } catch (const Error& error) {
    TVMFFIErrorSetRaised(ObjectUnsafe::Borrow(error));
  } catch (const std::bad_alloc& error) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", error.what());
  } catch (const std::exception& error) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", error.what());
  } catch (...) {
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "an exception that is no std::exception");
  }
  return -1;
}

// The text "(a vs. b)" when a comparison does not hold, else NULL.
template <typename X, typename Y>
TVM_FFI_COLD std::unique_ptr<std::string> Operands(const X& x, const Y& y) {
  Message message;
  message << " (" << x << " vs. " << y << ") ";
  return std::make_unique<std::string>(message.take());
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief Throws an error of a kind; stream the message into it.
 *
 * One expression, safe in an unbraced if/else.
 */
#define TVM_FFI_THROW(ErrorKind)                                          \
  ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__} = \
      ::tvm::ffi::Message().self()

/*! \brief TVM_FFI_THROW that also writes the message to stderr, for start-up code that nobody
 * catches. */
#define TVM_FFI_LOG_AND_THROW(ErrorKind)                                                 \
  ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__, nullptr, true} = \
      ::tvm::ffi::Message().self()

/*!
 * \brief Throws an error of a kind unless the condition holds; stream the message into it.
 *
 * Without a message the condition's text is the message. One expression, safe in an unbraced
 * if/else.
 */
#define TVM_FFI_CHECK(cond, ErrorKind)                                                    \
  (cond) ? (void)0                                                                        \
         : ::tvm::ffi::detail::Thrower{#ErrorKind, __FILE__, __LINE__, __func__, #cond} = \
               ::tvm::ffi::Message().self()

/*! \brief Throws an InternalError, a bug of the library, unless the condition holds. */
#define TVM_FFI_ICHECK(cond) TVM_FFI_CHECK(cond, InternalError) << "check failed: " #cond << ": "

/*!
 * \brief Throws unless `x op y`; behind the named comparisons below.
 *
 * Has the form `if (ok) {} else ...`, because each operand is evaluated once.
 */
#define TVM_FFI_CHECK_COMPARED(x, op, y, ErrorKind)                         \
  if (std::unique_ptr<std::string> operands =                               \
          [](const auto& a, const auto& b) {                                \
            return (a op b) ? nullptr : ::tvm::ffi::detail::Operands(a, b); \
          }(x, y);                                                          \
      operands == nullptr) {                                                \
  } else                                                                    \
    TVM_FFI_THROW(ErrorKind) << "check failed: " #x " " #op " " #y << *operands

/*! \brief Throws unless x == y; the message shows both. */
#define TVM_FFI_CHECK_EQ(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, ==, y, ErrorKind)
/*! \brief Throws unless x != y; the message shows both. */
#define TVM_FFI_CHECK_NE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, !=, y, ErrorKind)
/*! \brief Throws unless x < y; the message shows both. */
#define TVM_FFI_CHECK_LT(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, <, y, ErrorKind)
/*! \brief Throws unless x <= y; the message shows both. */
#define TVM_FFI_CHECK_LE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, <=, y, ErrorKind)
/*! \brief Throws unless x > y; the message shows both. */
#define TVM_FFI_CHECK_GT(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, >, y, ErrorKind)
/*! \brief Throws unless x >= y; the message shows both. */
#define TVM_FFI_CHECK_GE(x, y, ErrorKind) TVM_FFI_CHECK_COMPARED(x, >=, y, ErrorKind)
/*! \brief TVM_FFI_CHECK_EQ of kind InternalError. */
#define TVM_FFI_ICHECK_EQ(x, y) TVM_FFI_CHECK_EQ(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_NE of kind InternalError. */
#define TVM_FFI_ICHECK_NE(x, y) TVM_FFI_CHECK_NE(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_LT of kind InternalError. */
#define TVM_FFI_ICHECK_LT(x, y) TVM_FFI_CHECK_LT(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_LE of kind InternalError. */
#define TVM_FFI_ICHECK_LE(x, y) TVM_FFI_CHECK_LE(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_GT of kind InternalError. */
#define TVM_FFI_ICHECK_GT(x, y) TVM_FFI_CHECK_GT(x, y, InternalError)
/*! \brief TVM_FFI_CHECK_GE of kind InternalError. */
#define TVM_FFI_ICHECK_GE(x, y) TVM_FFI_CHECK_GE(x, y, InternalError)

/*! \brief Starts the body of a function of the C ABI: no exception leaves it. */
#define TVM_FFI_SAFE_CALL_BEGIN() try {
/*! \brief Ends the body of a function of the C ABI: returns 0, or raises what was thrown. */
#define TVM_FFI_SAFE_CALL_END()                         \
  return 0;                                             \
  }                                                     \
  catch (...) {                                         \
    return ::tvm::ffi::detail::RaiseCurrentException(); \
  }

/*! \brief Calls a function of the C ABI and throws the error that it raised, if any. */
#define TVM_FFI_CHECK_SAFE_CALL(call)                                             \
  do {                                                                            \
    if (int tvm_ffi_code = (call)) ::tvm::ffi::detail::ThrowRaised(tvm_ffi_code); \
  } while (0)

#endif  // TVM_FFI_ERROR_H_
