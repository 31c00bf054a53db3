// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/error_object.h
 * \brief Errors, thrown and raised; their kind names the Python exception that they become.
 */
#ifndef TVM_FFI_ERROR_OBJECT_H_
#define TVM_FFI_ERROR_OBJECT_H_

#include <cxxabi.h>  // NOLINT(misc-include-cleaner): it brings __forced_unwind
#include <tvm/ffi/message.h>
#include <tvm/ffi/object.h>

#include <cstdio>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*!
 * \brief Thrown through C++ when an error is already set in the host (a call returned -2).
 *
 * Do not catch it, except to clean up and rethrow.
 */
struct EnvErrorAlreadySet : public std::exception {
  /*! \brief A fixed text; the error itself is in the host. */
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

namespace detail {

struct Thrower;

// The full backtrace of an error, most recent call first.
std::string BacktraceOf(const ErrorObj* error);

// The lines of a text in reverse order.
TVM_FFI_COLD inline std::string LinesReversed(const std::string& text) {
  std::string reversed;
  for (size_t end = text.size(); end > 0;) {
    // The line's own newline is at end - 1, except for the last line, which may have none.
    size_t begin = end < 2 ? std::string::npos : text.rfind('\n', end - 2);
    begin = begin == std::string::npos ? 0 : begin + 1;
    reversed.append(text, begin, end - begin);
    if (reversed.back() != '\n') reversed += '\n';
    end = begin;
  }
  return reversed;
}

}  // namespace detail

/*!
 * \brief An exception that crosses languages: a kind, a message, a backtrace and an optional cause.
 *
 * A handle like any other: copies share one object.
 */
class Error : public ObjectRef, public std::exception {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Error, ObjectRef, ErrorObj);

  /*!
   * \brief An error with a text backtrace.
   * \param kind Name of the exception that the error becomes in Python, for example "ValueError".
   * \param message What is wrong: subject, expected, got.
   * \param backtrace Lines `  File "f.cc", line 3, in g`, most recent call first.
   * \throws std::bad_alloc when out of memory.
   */
  Error(const std::string& kind, const std::string& message, const std::string& backtrace = "")
      : Error(kind, message, backtrace, std::nullopt, std::nullopt) {}

  /*!
   * \brief An error with a cause.
   * \param kind Name of the exception that the error becomes in Python.
   * \param message What is wrong.
   * \param backtrace The calls, most recent first.
   * \param cause_chain The error that caused this one: the exception's `__cause__` in Python.
   * \param extra_context Any additional object; the runtime keeps it but does not inspect it.
   * \throws std::bad_alloc when out of memory.
   */
  Error(const std::string& kind, const std::string& message, const std::string& backtrace,
        const std::optional<Error>& cause_chain, const std::optional<ObjectRef>& extra_context) {
    const TVMFFIByteArray bytes{backtrace.data(), backtrace.size()};
    Create(kind, message, &bytes,
           cause_chain.has_value() ? ObjectUnsafe::Borrow(*cause_chain) : nullptr,
           extra_context.has_value() ? ObjectUnsafe::Borrow(*extra_context) : nullptr);
  }

  /*!
   * \brief An error with a backtrace from TVMFFIBacktrace.
   * \param kind Name of the exception that the error becomes in Python.
   * \param message What is wrong.
   * \param backtrace The result of TVMFFIBacktrace; the callers that it recorded are kept too.
   * \throws std::bad_alloc when out of memory.
   */
  Error(const std::string& kind, const std::string& message, const TVMFFIByteArray* backtrace) {
    Create(kind, message, backtrace, nullptr, nullptr);
  }

  /*! \brief Shares the error. */
  Error(const Error& other) noexcept : ObjectRef(other), std::exception(other) {}
  /*! \brief Shares the error. */
  Error& operator=(const Error& other) noexcept {
    data_ = other.data_;
    return *this;
  }

  /*! \brief Kind, for example "ValueError". */
  std::string kind() const { return Text(get()->kind); }
  /*! \brief Message. */
  std::string message() const { return Text(get()->message); }
  /*! \brief Message; valid while the error lives. */
  const char* what() const noexcept override { return get()->message.data; }
  /*!
   * \brief Lines `  File "f.cc", line 3, in g`, most recent call first.
   *
   * Computed on demand: this call looks up the names of the functions that were running.
   */
  std::string backtrace() const { return detail::BacktraceOf(get()); }
  /*! \brief The lines of backtrace(), most recent call last, as Python shows them. */
  std::string TracebackMostRecentCallLast() const { return detail::LinesReversed(backtrace()); }
  /*! \brief The text that Python would print: the traceback, the kind and the message. */
  TVM_FFI_COLD std::string FullMessage() const {
    std::string text = "Traceback (most recent call last):\n";
    text += TracebackMostRecentCallLast();
    text += get()->kind.data;
    text += ": ";
    text.append(get()->message.data, get()->message.size);
    text += "\n";
    return text;
  }
  /*!
   * \brief Changes the backtrace of the error for all handles that share it.
   * \param lines Lines in the format of backtrace(), most recent call first.
   * \param mode kTVMFFIBacktraceUpdateModeAppend to append callers, or
   *        kTVMFFIBacktraceUpdateModeReplace.
   */
  void UpdateBacktrace(const TVMFFIByteArray* lines, int32_t mode) const {
    get()->update_backtrace(ObjectUnsafe::Borrow(*this), lines, mode);
  }
  /*! \brief The error that caused this one, if any. */
  std::optional<Error> cause_chain() const {
    if (get()->cause_chain == nullptr) return std::nullopt;
    return Error(ObjectUnsafe::PtrFromBorrowed<ErrorObj>(get()->cause_chain));
  }
  /*! \brief The additional object of the error, if any. */
  std::optional<ObjectRef> extra_context() const {
    if (get()->extra_context == nullptr) return std::nullopt;
    return ObjectRef(ObjectUnsafe::PtrFromBorrowed<Object>(get()->extra_context));
  }

 private:
  static std::string Text(const TVMFFIByteArray& bytes) {
    return std::string(bytes.data, bytes.size);
  }

  // For Thrower: avoids copying the kind and the message, which are already in memory.
  Error(std::string_view kind, std::string_view message, const TVMFFIByteArray* backtrace,
        UnsafeInit tag)
      : ObjectRef(tag) {
    Create(kind, message, backtrace, nullptr, nullptr);
  }

  TVM_FFI_COLD void Create(std::string_view kind, std::string_view message,
                           const TVMFFIByteArray* backtrace, TVMFFIObjectHandle cause_chain,
                           TVMFFIObjectHandle extra_context) {
    const TVMFFIByteArray kind_bytes{kind.data(), kind.size()};
    const TVMFFIByteArray message_bytes{message.data(), message.size()};
    TVMFFIObjectHandle handle = nullptr;
    if (TVMFFIErrorCreateWithCauseAndExtraContext(&kind_bytes, &message_bytes, backtrace,
                                                  cause_chain, extra_context, &handle) != 0) {
      throw std::bad_alloc();
    }
    data_ = ObjectUnsafe::PtrFromOwned<Object>(handle);
  }

  friend struct detail::Thrower;
};

namespace detail {

// Throws an error with a finished message. Assignment binds less tightly than `<<`, so
// `Thrower{...} = Message().self() << a << b` is one expression, and no destructor throws.
struct Thrower {
  const char* kind;
  const char* file;
  int line;
  const char* function;
  const char* condition = nullptr;

  [[noreturn]] TVM_FFI_COLD void operator=(Message& message) const { throw Made(message); }

  TVM_FFI_COLD Error Made(Message& message) const {
    std::string text = message.take();
    if (text.empty() && condition != nullptr) {
      text += "check failed: ";
      text += condition;
    }
    return Error(kind, text, TVMFFIBacktrace(file, line, function, 0), UnsafeInit{});
  }
};

// Also writes the error to stderr. A separate type, so that other uses do not include that code.
struct LoggingThrower : public Thrower {
  [[noreturn]] TVM_FFI_COLD void operator=(Message& message) const {
    const Error error = Made(message);
    std::fputs(error.FullMessage().c_str(), stderr);
    throw error;
  }
};

TVM_FFI_COLD inline std::string BacktraceOf(const ErrorObj* error) {
  // The published runtime lacks this function; only the cell's text is available then.
  constexpr TVMFFIByteArray kName{"ffi.ErrorBacktrace", 18};
  TVMFFIObjectHandle function = nullptr;
  TVMFFIAny argument{}, result{};
  argument.type_index = kTVMFFIError;
  argument.v_obj = reinterpret_cast<TVMFFIObject*>(const_cast<ErrorObj*>(error));
  int code = TVMFFIFunctionGetGlobal(&kName, &function);
  if (code == 0 && function != nullptr) {
    code = TVMFFIFunctionCall(function, &argument, 1, &result);
    ObjectUnsafe::DecRef(static_cast<TVMFFIObject*>(function));
    if (code == 0) return TakeString(result);
  }
  if (code != 0) DropRaised();
  return std::string(error->backtrace.data, error->backtrace.size);
}

// Throws the error that a C function raised before returning `code`.
[[noreturn]] TVM_FFI_COLD inline void ThrowRaised(int code) {
  if (code == -2) throw EnvErrorAlreadySet();
  TVMFFIObjectHandle handle = nullptr;
  TVMFFIErrorMoveFromRaised(&handle);
  if (handle == nullptr) {
    throw Error(
        "InternalError",
        (Message().self() << "a call returned " << code << " without setting an error").take());
  }
  throw Error(ObjectUnsafe::PtrFromOwned<ErrorObj>(handle));
}

// Call it first in a `catch (...)` that would swallow any exception. A thread that exits through
// pthread_exit or is cancelled unwinds its stack like an exception, and swallowing that aborts the
// process. libstdc++ has a type for such unwinding; under libc++, only C++ exceptions have a
// type.
TVM_FFI_COLD inline void LetThreadEnd() {
#ifdef __GLIBCXX__
  try {
    throw;
  } catch (const abi::__forced_unwind&) {  // NOLINT(misc-include-cleaner)
    throw;
  } catch (...) {
  }
#else
  if (abi::__cxa_current_exception_type() == nullptr) throw;
#endif
}

// Raises the exception being handled through the C ABI and returns the matching code.
TVM_FFI_COLD inline int RaiseCurrentException() {
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
    LetThreadEnd();
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", "an exception that is not a std::exception");
  }
  return -1;
}

// Logs to stderr an exception that must not propagate. Call it in a catch block.
TVM_FFI_COLD inline void LogCurrentException(const char* where) {
  try {
    throw;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: ignored: %s: %s\n", where, error->kind.data, error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: ignored: %s\n", where, error.what());
  } catch (...) {
    LetThreadEnd();
    std::fprintf(stderr, "%s: ignored: an exception that is not a std::exception\n", where);
  }
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_ERROR_OBJECT_H_
