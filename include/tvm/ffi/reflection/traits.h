// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/traits.h
 * \brief Traits that can follow a field, a function or a type in its registration.
 */
#ifndef TVM_FFI_REFLECTION_TRAITS_H_
#define TVM_FFI_REFLECTION_TRAITS_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function_details.h>
#include <tvm/ffi/function_object.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

/*!
 * \brief Base of the traits that can follow a field, a function or a type in its registration.
 *
 * A trait that can follow a field has `Apply(TVMFFIFieldInfo*) const`.
 */
struct InfoTrait {};

/*! \brief The default of a field, used if the field is not passed to the constructor. */
class DefaultValue : public InfoTrait {
 public:
  /*! \brief Takes the initial value of the field; if it is an object, all instances share it. */
  explicit DefaultValue(Any value) : value_(std::move(value)) {}
  /*! \brief Adds the default to the description of a field. */
  void Apply(TVMFFIFieldInfo* info) const {
    info->default_value_or_factory = AnyView(value_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault;
  }

 private:
  Any value_;
};
/*! \brief The name of DefaultValue used in registrations: `refl::default_value(7)`. */
class default_value : public DefaultValue {
 public:
  using DefaultValue::DefaultValue;
};
/*! \brief Another name for default_value, used in newer published documentation. */
using default_ = default_value;

/*! \brief A function that creates a field's value if none is passed to the constructor. */
class DefaultFactory : public InfoTrait {
 public:
  /*! \brief Takes a function that is called without arguments for each object. */
  explicit DefaultFactory(Function factory) : factory_(std::move(factory)) {}
  /*! \brief Takes a lambda or any other callable without parameters. */
  template <typename F,
            typename = std::enable_if_t<!std::is_base_of<ObjectRef, std::decay_t<F>>::value &&
                                        std::is_invocable<std::decay_t<F>&>::value>>
  explicit DefaultFactory(F&& factory)
      : factory_(Function::FromTyped<std::decay_t<F>>(std::forward<F>(factory),
                                                      "refl::default_factory")) {}
  /*! \brief Adds the factory to the description of a field. */
  void Apply(TVMFFIFieldInfo* info) const {
    info->default_value_or_factory = AnyView(factory_).CopyToTVMFFIAny();
    info->flags |= kTVMFFIFieldFlagBitMaskHasDefault | kTVMFFIFieldFlagBitMaskDefaultFromFactory;
  }

 private:
  Function factory_;
};
/*! \brief The name of DefaultFactory used in registrations. */
class default_factory : public DefaultFactory {
 public:
  using DefaultFactory::DefaultFactory;
};

/*! \brief Sets bits of TVMFFIFieldFlagBitMask. */
class AttachFieldFlag : public InfoTrait {
 public:
  /*! \brief Sets `flag`. */
  explicit AttachFieldFlag(int32_t flag) : flag_(flag) {}
  /*! \brief Structural comparison skips the field. */
  static AttachFieldFlag SEqHashIgnore() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashIgnore);
  }
  /*! \brief In structural comparison, the field defines the variables in it, at any depth. */
  static AttachFieldFlag SEqHashDefPattern() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefPattern);
  }
  /*! \brief Like SEqHashDefPattern, but the fields of a defined variable define no further ones. */
  static AttachFieldFlag SEqHashDefSimple() {
    return AttachFieldFlag(kTVMFFIFieldFlagBitMaskSEqHashDefSimple);
  }
  /*! \brief Adds the flag to the description of a field. */
  void Apply(TVMFFIFieldInfo* info) const { info->flags |= flag_; }

 private:
  int32_t flag_;
};

namespace detail {

// A flag set when a property of a field is switched off, or on.
template <int32_t kFlag, bool kSetWhen>
class FieldSwitch : public InfoTrait {
 public:
  explicit FieldSwitch(bool on) : on_(on) {}
  void Apply(TVMFFIFieldInfo* info) const {
    if (on_ == kSetWhen) info->flags |= kFlag;
  }

 private:
  bool on_;
};

}  // namespace detail

/*! \brief `repr(false)`: the field is omitted from the printed form. */
struct repr : public detail::FieldSwitch<kTVMFFIFieldFlagBitMaskReprOff, false> {
  using FieldSwitch::FieldSwitch;
};
/*! \brief `compare(false)`: the field is not compared. */
struct compare : public detail::FieldSwitch<kTVMFFIFieldFlagBitMaskCompareOff, false> {
  using FieldSwitch::FieldSwitch;
};
/*! \brief `hash(false)`: the field is not hashed. */
struct hash : public detail::FieldSwitch<kTVMFFIFieldFlagBitMaskHashOff, false> {
  using FieldSwitch::FieldSwitch;
};
/*! \brief `kw_only(true)`: the constructor accepts the field only as a keyword argument. */
struct kw_only : public detail::FieldSwitch<kTVMFFIFieldFlagBitMaskKwOnly, true> {
  using FieldSwitch::FieldSwitch;
};

/*! \brief Additional metadata: names with integers, bools or strings. */
class Metadata : public InfoTrait {
 public:
  /*! \brief Takes the entries; `type_schema` is always present. */
  Metadata(std::initializer_list<std::pair<String, Any>> entries) {
    for (const auto& [name, value] : entries) {
      (text_ += ",") += ffi::detail::JsonString(name) + ":";
      if (std::optional<bool> flag = value.as<bool>()) {
        text_ += *flag ? "true" : "false";
      } else if (std::optional<int64_t> number = value.as<int64_t>()) {
        text_ += (Message().self() << *number).take();
      } else if (std::optional<String> text = value.as<String>()) {
        text_ += ffi::detail::JsonString(*text);
      } else {
        TVM_FFI_THROW(TypeError) << "Metadata: " << name << ": expected an int, bool or str, got "
                                 << value.GetTypeKey();
      }
    }
  }
  /*! \brief The entries as JSON text, each preceded by a comma. */
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/*!
 * \brief A constructor of the registered type that takes `Args...`: `.def(refl::init<int64_t>())`.
 *
 * `init<>` has two more uses: `init(false)` after a field excludes it from the constructor
 * generated from the fields, and `ObjectDef<T>(init(false))` generates no such constructor.
 */
template <typename... Args>
struct init : public InfoTrait {
  /*! \brief Creates an object of the type. */
  template <typename Class>
  static ObjectRef execute(Args... args) {
    return ObjectRef(make_object<Class>(std::forward<Args>(args)...));
  }
};
/*! \brief The constructor without arguments, and the switch for fields and types. */
template <>
struct init<> : public InfoTrait {
  /*! \brief The constructor without arguments. */
  init() = default;
  /*! \brief Takes whether to include the field in the constructor generated from the fields. */
  explicit init(bool include) : include_(include) {}
  /*! \brief Adds the switch to the description of a field. */
  void Apply(TVMFFIFieldInfo* info) const {
    if (!include_) info->flags |= kTVMFFIFieldFlagBitMaskInitOff;
  }
  /*! \brief The value of the switch. */
  bool include() const { return include_; }
  /*! \brief Creates an object of the type. */
  template <typename Class>
  static ObjectRef execute() {
    return ObjectRef(make_object<Class>());
  }

 private:
  bool include_ = true;
};
/*! \brief Deduces `init(false)` as `init<>`. */
init(bool) -> init<>;

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_TRAITS_H_
