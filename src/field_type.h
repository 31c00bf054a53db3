// SPDX-License-Identifier: Apache-2.0
// The type of a field that is declared while the program runs: converts values to it.
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
   * \brief Reads a description: an array of a name and what belongs to it.
   *
   * The name is that of a kind: "Any", "None", "bool", "int", "float", "str", "bytes", "dtype",
   * "Device", "void*"; "object" before a type index; or "Array", "List", "tuple", "Map", "Dict",
   * "Union" before the descriptions of what they hold. A container without any holds everything.
   * \throws Error A ValueError for any other description.
   */
  explicit FieldType(const Array<Any>& description);

  Kind kind() const { return kind_; }

  /*!
   * \brief Converts a value, and what it holds.
   *
   * The value itself is given if it fits as it is, so that a List that is shared stays shared.
   * \throws Error A TypeError that says which part does not convert.
   */
  Any Convert(const Any& value) const;

  /*! \brief The type as Python writes it, such as `List[int] | None`. */
  std::string Text() const;

 private:
  // What does not convert: the way to it, what was expected there and what came.
  struct Problem {
    std::string path;
    std::string expected;
    std::string got;
  };

  // `as_is`: only a value that fits without a conversion.
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
