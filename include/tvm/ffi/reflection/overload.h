// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/overload.h
 * \brief Registers object types with overloaded methods and constructors.
 */
#ifndef TVM_FFI_REFLECTION_OVERLOAD_H_
#define TVM_FFI_REFLECTION_OVERLOAD_H_

#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/rvalue_ref.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

namespace detail {

template <typename T>
struct IsRValueRef : public std::false_type {};
template <typename T>
struct IsRValueRef<RValueRef<T>> : public std::true_type {};

// Whether an argument converts to a T. An rvalue argument is not moved from, because another
// overload may be the one that accepts it.
template <typename T>
bool Takes(const TVMFFIAny* argument) {
  TVMFFIAny value = *argument;
  if (argument->type_index == kTVMFFIObjectRValueRef) {
    if constexpr (std::is_same<T, Any>::value || std::is_same<T, AnyView>::value) return true;
    if constexpr (!IsRValueRef<T>::value) return false;
    if (argument->v_ptr == nullptr) return false;
    value.v_obj = *static_cast<TVMFFIObject**>(argument->v_ptr);
    value.type_index = value.v_obj == nullptr ? int32_t{kTVMFFINone} : value.v_obj->type_index;
  }
  return TypeTraits<T>::TryCastFromAnyView(&value).has_value();
}

// One of several functions with the same name.
struct Overload {
  Function function;
  bool (*takes)(const TVMFFIAny* args, int32_t num_args);
  std::string (*signature)(const char* name);
  Overload* next = nullptr;

  template <typename Fn>
  static bool TakesAll(const TVMFFIAny* args, int32_t num_args) {
    return TakesEach(args, num_args,
                     static_cast<typename ffi::detail::Signature<Fn>::Parameters*>(nullptr));
  }

 private:
  template <typename... Args>
  static bool TakesEach(const TVMFFIAny* args, int32_t num_args, std::tuple<Args...>* types) {
    constexpr auto kMost = static_cast<int32_t>(sizeof...(Args));
    if (num_args < ffi::detail::RequiredCount(types) || num_args > kMost) return false;
    int32_t i = -1;
    // Omitted arguments are Optionals.
    return ((++i >= num_args || Takes<ffi::detail::NoCR<Args>>(args + i)) && ...);
  }
};

// Calls the first function that accepts the arguments. Functions may be added during calls.
class OverloadSet {
 public:
  explicit OverloadSet(std::string name) : name_(std::move(name)) {}
  OverloadSet(const OverloadSet&) = delete;
  OverloadSet& operator=(const OverloadSet&) = delete;
  ~OverloadSet() {
    for (Overload* each = first_; each != nullptr;) delete std::exchange(each, each->next);
  }

  const std::string& name() const { return name_; }

  template <typename Fn, typename F>
  void Add(F&& function) {
    auto* added = new Overload{Function::FromTyped<Fn>(std::forward<F>(function), name_),
                               Overload::TakesAll<Fn>, ffi::detail::SignatureOf<Fn>};
    Overload** end = &first_;
    while (*end != nullptr) end = &(*end)->next;
    __atomic_store_n(end, added, __ATOMIC_RELEASE);
  }

  void Call(const AnyView* views, int32_t num_args, Any* result) const {
    const auto* args = reinterpret_cast<const TVMFFIAny*>(views);
    const Overload* first = __atomic_load_n(&first_, __ATOMIC_ACQUIRE);
    for (const Overload* each = first; each != nullptr; each = NextOf(each)) {
      // A function that is not overloaded throws its own error.
      const bool is_only = each == first && NextOf(each) == nullptr;
      if (is_only || each->takes(args, num_args)) {
        each->function.CallPacked(views, num_args, result);
        return;
      }
    }
    ThrowNone(args, num_args);
  }

 private:
  static const Overload* NextOf(const Overload* overload) {
    return __atomic_load_n(&overload->next, __ATOMIC_ACQUIRE);
  }

  [[noreturn]] TVM_FFI_COLD void ThrowNone(const TVMFFIAny* args, int32_t num_args) const {
    std::string got, signatures;
    for (int32_t i = 0; i < num_args; ++i) {
      (got += i == 0 ? "" : ", ") += ffi::detail::TypeName(args + i);
    }
    for (const Overload* each = first_; each != nullptr; each = NextOf(each)) {
      (signatures += "\n  ") += each->signature(name_.c_str());
    }
    TVM_FFI_THROW(TypeError) << name_ << ": expected arguments that match an overload, got (" << got
                             << "); the overloads are:" << signatures;
  }

  std::string name_;
  Overload* first_ = nullptr;
};

// The function object that owns the overloads and calls them.
class OverloadOwner {
 public:
  explicit OverloadOwner(OverloadSet* overloads) : overloads_(overloads) {}
  OverloadOwner(OverloadOwner&& other) noexcept
      : overloads_(std::exchange(other.overloads_, nullptr)) {}
  ~OverloadOwner() { delete overloads_; }
  void operator()(const AnyView* args, int32_t num_args, Any* result) const {
    overloads_->Call(args, num_args, result);
  }

 private:
  OverloadSet* overloads_;
};

}  // namespace detail

/*!
 * \brief Registers an object type like ObjectDef, with several functions of one name.
 *
 * A call goes to the first function, in registration order, that accepts its arguments: register
 * the one for int64_t before the one for double, which also accepts an int. The exceptions of that
 * function propagate. If none accepts the arguments, a TypeError lists all overloads. Each has its
 * own entry among the methods of the type.
 * \tparam Class The object class, with TVM_FFI_DECLARE_OBJECT_INFO.
 */
template <typename Class>
class OverloadObjectDef : private ObjectDef<Class> {
 public:
  /*! \brief The registration without overloads. */
  using Super = ObjectDef<Class>;

  /*! \brief Takes `doc` as a string literal, `init(false)`, both or neither. */
  template <typename... Extra>
  explicit OverloadObjectDef(const Extra&... extra) : Super(extra...) {}

  /*! \brief Registers a field that other languages can read. */
  template <typename T, typename Base, typename... Extra>
  OverloadObjectDef& def_ro(const char* name, T Base::* field, const Extra&... extra) {
    Super::def_ro(name, field, extra...);
    return *this;
  }
  /*! \brief Registers a field that other languages can read and write; Class must be mutable. */
  template <typename T, typename Base, typename... Extra>
  OverloadObjectDef& def_rw(const char* name, T Base::* field, const Extra&... extra) {
    Super::def_rw(name, field, extra...);
    return *this;
  }
  /*! \brief Registers a method: a member function, or a function that takes the object first. */
  template <typename F, typename... Extra>
  OverloadObjectDef& def(const char* name, F&& function, const Extra&... extra) {
    Add(name, detail::WithObject<Class>(std::forward<F>(function)), 0, extra...);
    return *this;
  }
  /*! \brief Registers a static method: a function that takes no object. */
  template <typename F, typename... Extra>
  OverloadObjectDef& def_static(const char* name, F&& function, const Extra&... extra) {
    Add(name, std::forward<F>(function), kTVMFFIFieldFlagBitMaskIsStaticMethod, extra...);
    return *this;
  }
  /*! \brief Registers an attribute of the type: a value or a function. */
  template <typename Value>
  OverloadObjectDef& def_type_attr(const char* name, Value&& value) {
    Super::def_type_attr(name, std::forward<Value>(value));
    return *this;
  }
  /*! \brief Registers type_attr::kConvert: converts arguments to TSelf, a handle of the type. */
  template <typename TSelf>
  OverloadObjectDef& def_convert() {
    Super::template def_convert<TSelf>();
    return *this;
  }
  /*! \brief Registers a constructor, replacing the one generated from the fields. */
  template <typename... Args, typename... Extra>
  OverloadObjectDef& def(init<Args...>, const Extra&... extra) {
    constexpr const char* kName = "__ffi_init__";
    const bool is_first = !has_init_;
    Super::make_init_ = false;
    const Function function = Add(kName, &init<Args...>::template execute<Class>,
                                  kTVMFFIFieldFlagBitMaskIsStaticMethod, extra...);
    if (is_first) detail::SetAttribute(Super::type_index_, kName, function);
    has_init_ = true;
    return *this;
  }

 private:
  struct Named {
    detail::OverloadSet* overloads;
    Function function;  // owns the overloads
  };

  // The overloads registered under that name so far, or a new empty set.
  const Named& Find(const std::string& name) {
    for (const Named& each : named_) {
      if (each.overloads->name() == name) return each;
    }
    auto* overloads = new detail::OverloadSet(name);
    named_.push_back({overloads, Function::FromPacked(detail::OverloadOwner(overloads))});
    return named_.back();
  }

  template <typename F, typename... Extra>
  Function Add(const char* name, F&& function, int64_t flags, const Extra&... extra) {
    using Fn = std::decay_t<F>;
    const Named& named = Find(std::string(Class::_type_key) + "." + name);
    named.overloads->template Add<Fn>(std::forward<F>(function));
    Super::template Describe<Fn>(name, named.function, flags, extra...);
    return named.function;
  }

  std::vector<Named> named_;
  bool has_init_ = false;
};

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_OVERLOAD_H_
