// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/extra/storage.h
 * \brief A store of values by key, for what a library keeps from one call to the next.
 *
 * The store is the process's: every library and every language sees the same one, through the
 * global functions `ffi.StorageGet`, `ffi.StorageSet`, `ffi.StorageGetOrCreate` and
 * `ffi.StorageErase`. It is never destroyed: what is in it when the process ends is not freed, so
 * that no code of a library that has gone by then runs. A value keeps the library that frees it
 * loaded while it is stored; what an Array or a Map holds is not looked at.
 *
 * This runtime only: under one without these functions each call here throws a RuntimeError.
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

// The value of a key, None if it has none.
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

/*! \brief The store of values by key. */
namespace storage {

/*!
 * \brief A key for what exists once for each device.
 * \param name Unique name; begin it with the library's, for example "my_library.workspace".
 * \param device Device.
 */
inline String Key(const String& name, DLDevice device) {
  Message text;
  text << name << "@" << device;
  return text.take();
}

/*!
 * \brief A key for what exists once for each stream of a device.
 * \param name Unique name; begin it with the library's, for example "my_library.workspace".
 * \param device Device.
 * \param stream Stream, as TVMFFIEnvGetStream tells it.
 */
inline String Key(const String& name, DLDevice device, void* stream) {
  Message text;
  text << name << "@" << device << "#" << reinterpret_cast<uintptr_t>(stream);
  return text.take();
}

/*!
 * \brief The value of a key, if there is one.
 * \param key Key.
 * \throws Error A TypeError if the value is no T.
 */
template <typename T = Any>
std::optional<T> Get(const String& key) {
  const Any value = detail::StorageFind(key);
  if (value == nullptr) return std::nullopt;
  return detail::StorageCast<T>("Get", key, value);
}

/*!
 * \brief Stores a value; one that the key had before is dropped.
 * \param key Key.
 * \param value Anything but None.
 * \throws Error A ValueError for None.
 */
inline void Set(const String& key, const Any& value) {
  static const Function set = detail::StorageFunction("ffi.StorageSet");
  set(key, value);
}

/*!
 * \brief The value of a key; if it has none, what `factory` returns is stored first.
 *
 * Of several threads that ask for the same key, one calls its factory and the others wait; threads
 * that ask for other keys do not wait. A factory that throws leaves nothing behind, and the next
 * thread that waits tries its own.
 * \param key Key.
 * \param factory Called without arguments, returns the value; it must not ask for the same key, nor
 *        for one whose factory waits for this one.
 * \throws Error What the factory threw; a TypeError if the value is no T; a ValueError if the
 *         factory returns None; a RuntimeError if it asks for such a key.
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
 * \return Whether it had one.
 */
inline bool Erase(const String& key) {
  static const Function erase = detail::StorageFunction("ffi.StorageErase");
  return erase(key).cast<bool>();
}

}  // namespace storage
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_EXTRA_STORAGE_H_
