// SPDX-License-Identifier: Apache-2.0
// Enumeration instances, for functions that take any value: each exists once.
#ifndef TVM_FFI_SRC_ENUM_H_
#define TVM_FFI_SRC_ENUM_H_

#include <tvm/ffi/any.h>

#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

bool IsEnum(int32_t type_index);

// The type key and the instance name, such as "my_library.Colour.red".
std::string EnumText(const Any& instance);

// The lookup key of an instance: the number of an IntEnum, the name of any other.
Any EnumIndex(const Any& instance);

// Whether `value` is the value of an IntEnum or StrEnum instance, which is then stored in `out`.
bool FindEnumOfValue(int32_t type_index, const Any& value, Any* out);

// The instance with that number or name; throws a ValueError if there is none.
Any EnumAt(int32_t type_index, const Any& index);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_ENUM_H_
