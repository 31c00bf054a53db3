// SPDX-License-Identifier: Apache-2.0
// Rows: R1
// The operators of device.h and dtype.h: ==, != and <<, found by code in any namespace.
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>

#include "expect.h"

// A namespace whose own operators hide those of the enclosing ones.
namespace project {
namespace kernels {

struct Own {};
[[maybe_unused]] bool operator==(Own, Own) { return true; }
[[maybe_unused]] bool operator!=(Own, Own) { return false; }
[[maybe_unused]] std::ostream& operator<<(std::ostream& out, Own) { return out << "own"; }

// Devices compare and print from within any namespace, also as part of an error.
void devices() {
  const DLDevice a{kDLCUDA, 1};
  const DLDevice b{kDLCUDA, 0};
  EXPECT(a == a && !(a != a));
  EXPECT(a == (DLDevice{kDLCUDA, 1}));
  EXPECT(a != b && !(a == b));
  EXPECT(a != (DLDevice{kDLCPU, 1}));
  std::ostringstream text;
  text << "on " << a << " and " << Own();
  EXPECT_EQ(text.str(), std::string("on cuda:1 and own"));
  EXPECT_THROWS("ValueError: on cuda:1", TVM_FFI_THROW(ValueError) << "on " << a);
}

// Element types compare and print from within any namespace, also as part of an error.
void element_types() {
  const DLDataType a{kDLFloat, 16, 1};
  EXPECT(a == a && !(a != a));
  for (DLDataType b :
       {DLDataType{kDLBfloat, 16, 1}, DLDataType{kDLFloat, 32, 1}, DLDataType{kDLFloat, 16, 2}}) {
    EXPECT(a != b && !(a == b)) << b;
  }
  std::ostringstream text;
  text << a << " " << DLDataType{kDLFloat, 16, 2} << " " << Own();
  EXPECT_EQ(text.str(), std::string("float16 float16x2 own"));
  EXPECT_THROWS("TypeError: got float16", TVM_FFI_THROW(TypeError) << "got " << a);
}

}  // namespace kernels
}  // namespace project
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_devices, project::kernels::devices);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_element_types, project::kernels::element_types);

namespace checks {

// Prints as test frameworks do: from a template in another namespace, through a std::ostream.
template <typename T>
std::string Printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
template <typename A, typename B>
std::string Compared(const A& a, const B& b) {
  return a == b ? "" : Printed(a) + " is not " + Printed(b);
}

}  // namespace checks

// Templates in other namespaces, such as those of test frameworks, compare and print both types.
void found_from_templates() {
  EXPECT_EQ(checks::Compared(DLDevice{kDLCUDA, 1}, DLDevice{kDLCPU, 0}),
            std::string("cuda:1 is not cpu:0"));
  EXPECT_EQ(checks::Compared(DLDataType{kDLFloat, 16, 1}, DLDataType{kDLBfloat, 16, 1}),
            std::string("float16 is not bfloat16"));
  EXPECT_EQ(checks::Compared(DLDevice{kDLCUDA, 1}, DLDevice{kDLCUDA, 1}), std::string());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_found_from_templates, found_from_templates);
