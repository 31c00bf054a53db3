// SPDX-License-Identifier: Apache-2.0
// The type of a field declared at run time, and conversion of values to it.
#ifndef TVM_FFI_SRC_FIELD_TYPE_H_
#define TVM_FFI_SRC_FIELD_TYPE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>

#include <string>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

class FieldType {
 public:
  enum class Kind {
    kAny,
    kNone,
    kBool,
    kInt,
    kFloat,
    kStr,
    kBytes,
    kDataType,
    kDevice,
    kPointer,
    kObject,
    kArray,
    kList,
    kTuple,
    kMap,
    kDict,
    kUnion,
  };

  /*!
   * \brief Parses a description: an array of a name and its parameters.
   *
   * The name is that of a kind: "Any", "None", "bool", "int", "float", "str", "bytes", "dtype",
   * "Device", "void*"; "object" and a type index; or "Array", "List", "tuple", "Map", "Dict",
   * "Union" and the descriptions of their elements. A container without any holds any value.
   * \throws Error A ValueError for any other description.
   */
  explicit FieldType(const Array<Any>& description);

  Kind kind() const { return kind_; }

  /*!
   * \brief Converts a value and its elements.
   *
   * Returns the value itself if it already fits, so that a shared List stays shared.
   * \throws Error A TypeError that names the part that does not convert.
   */
  Any Convert(const Any& value) const;

  /*! \brief The type as Python writes it, such as `List[int] | None`. */
  std::string Text() const;

 private:
  // The part that does not convert: its path, what was expected there and what was passed.
  struct Problem {
    std::string path;
    std::string expected;
    std::string got;
  };

  // `as_is`: accept only a value that needs no conversion.
  bool Try(const Any& value, bool as_is, Any* out, Problem* problem) const;
  bool TryInto(const FieldType& type, Any* value, bool as_is, bool* changed, const char* part,
               const std::string& name, Problem* problem) const;
  bool TrySequence(const Any& value, bool as_is, Any* out, Problem* problem) const;
  bool TryMapping(const Any& value, bool as_is, Any* out, Problem* problem) const;
  bool TryUnion(const Any& value, bool as_is, Any* out, Problem* problem) const;
  bool Fail(const Any& value, Problem* problem) const;

  Kind kind_ = Kind::kAny;
  int32_t type_index_ = kTVMFFIObject;
  std::vector<FieldType> parts_;
};

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_FIELD_TYPE_H_
