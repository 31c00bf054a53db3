// SPDX-License-Identifier: Apache-2.0
// Instances of enumerations, for functions that take any value: each exists once.
#ifndef TVM_FFI_SRC_ENUM_H_
#define TVM_FFI_SRC_ENUM_H_

#include <tvm/ffi/any.h>

#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

bool IsEnum(int32_t type_index);

// The key of the type and the name of the instance, such as "my_library.Colour.red".
std::string EnumText(const Any& instance);

// What an instance is found by again: the number of an IntEnum, the name of any other.
Any EnumIndex(const Any& instance);

// Whether `value` is the value of an instance of an IntEnum or a StrEnum, which is then given.
bool FindEnumOfValue(int32_t type_index, const Any& value, Any* out);

// The instance of that number or name; a ValueError if there is none.
Any EnumAt(int32_t type_index, const Any& index);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_ENUM_H_
