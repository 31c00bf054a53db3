// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/storage.h
 * \brief A store of values by key, for values that a library keeps from one call to the next.
 *
 * The store is process-wide: every library and every language sees the same one, through the
 * global functions `ffi.StorageGet`, `ffi.StorageSet`, `ffi.StorageGetOrCreate` and
 * `ffi.StorageErase`. It is never destroyed: values left in it when the process ends are not freed,
 * so that no code of an unloaded library runs. A stored value keeps the library that
 * frees it loaded; the contents of an Array or a Map are not considered.
 *
 * This runtime only: under a runtime without these functions, each call throws a RuntimeError.
 */
#ifndef TVM_FFI_EXTRA_STORAGE_H_
#define TVM_FFI_EXTRA_STORAGE_H_

#include <tvm/ffi/function.h>

#include <optional>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

TVM_FFI_COLD inline Function StorageFunction(const char* name) {
  std::optional<Function> function = Function::GetGlobal(name);
  TVM_FFI_CHECK(function.has_value(), RuntimeError)
      << "storage: expected a runtime that has a store, got one without the global function \""
      << name << "\"";
  return *std::move(function);
}

// The value of a key, or None.
inline Any StorageFind(const String& key) {
  static const Function get = StorageFunction("ffi.StorageGet");
  return get(key);
}

template <typename T>
T StorageCast(const char* function, const String& key, const Any& value) {
  static_assert(IsResult<T>::value, "expected a type that owns its value, such as Tensor");
  std::optional<T> cast = value.try_cast<T>();
  TVM_FFI_CHECK(cast.has_value(), TypeError)
      << "storage::" << function << ": expected " << TypeTraits<T>::TypeStr() << " at key \"" << key
      << "\", got " << value.GetTypeKey();
  return *std::move(cast);
}

}  // namespace detail

/*! \brief The process-wide store of values by key. */
namespace storage {

/*!
 * \brief Returns a key for a value that exists once for each device.
 * \param name Unique name; prefix it with the library's, for example "my_library.workspace".
 * \param device Device.
 */
inline String Key(const String& name, DLDevice device) {
  Message text;
  text << name << "@" << device;
  return text.take();
}

/*!
 * \brief Returns a key for a value that exists once for each stream of a device.
 * \param name Unique name; prefix it with the library's, for example "my_library.workspace".
 * \param device Device.
 * \param stream Stream, as returned by TVMFFIEnvGetStream.
 */
inline String Key(const String& name, DLDevice device, void* stream) {
  Message text;
  text << name << "@" << device << "#" << reinterpret_cast<uintptr_t>(stream);
  return text.take();
}

/*!
 * \brief Returns the value of a key, if there is one.
 * \param key Key.
 * \throws Error A TypeError if the value is not a T.
 */
template <typename T = Any>
std::optional<T> Get(const String& key) {
  const Any value = detail::StorageFind(key);
  if (value == nullptr) return std::nullopt;
  return detail::StorageCast<T>("Get", key, value);
}

/*!
 * \brief Stores a value, dropping any previous value of the key.
 * \param key Key.
 * \param value Any value except None.
 * \throws Error A ValueError for None.
 */
inline void Set(const String& key, const Any& value) {
  static const Function set = detail::StorageFunction("ffi.StorageSet");
  set(key, value);
}

/*!
 * \brief Returns the value of a key, first storing the result of `factory` if it has none.
 *
 * If several threads request the same key, one calls its factory and the others wait; threads that
 * request other keys do not wait. A factory that throws stores nothing, and the next waiting thread
 * tries its own.
 * \param key Key.
 * \param factory Returns the value when called without arguments; it must not request the same key,
 *        nor one whose factory waits for this one.
 * \throws Error Whatever the factory throws; a TypeError if the value is not a T; a ValueError if
 *         the factory returns None; a RuntimeError if it requests such a key.
 */
template <typename T = Any, typename F>
T GetOrCreate(const String& key, F factory) {
  Any value = detail::StorageFind(key);
  if (value == nullptr) {
    static const Function create = detail::StorageFunction("ffi.StorageGetOrCreate");
    value = create(key, Function::FromTyped([&factory] { return Any(factory()); }, "factory"));
  }
  return detail::StorageCast<T>("GetOrCreate", key, value);
}

/*!
 * \brief Drops the value of a key.
 * \param key Key.
 * \return Whether the key had a value.
 */
inline bool Erase(const String& key) {
  static const Function erase = detail::StorageFunction("ffi.StorageErase");
  return erase(key).cast<bool>();
}

}  // namespace storage
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_STORAGE_H_
