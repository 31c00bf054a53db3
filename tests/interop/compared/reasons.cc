// SPDX-License-Identifier: Apache-2.0
// Calls that compile with the headers of both packages, although their declarations differ.
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/reflection/accessor.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

namespace ffi = tvm::ffi;

[[maybe_unused]] void Containers(const ffi::Any& any, ffi::AnyView view) {
  const std::vector<int64_t> numbers{1, 2};
  const std::unordered_map<ffi::String, int64_t> named{{"a", 1}};
  const ffi::Array<int64_t> array(numbers);
  const ffi::List<int64_t> list(numbers);
  const ffi::Shape shape(numbers), of_array(array);
  const ffi::Map<ffi::String, int64_t> map(named);
  const ffi::Dict<ffi::String, int64_t> dict(named);
  view = any;
  (void)any.same_as(any);
  (void)shape.size();
}

[[maybe_unused]] void Texts(const ffi::String& text, const std::string& string) {
  (void)ffi::StringToDLDataType(text);
  (void)ffi::StringToDLDataType("int32");
  (void)ffi::Function::GetGlobal(text);
  (void)ffi::Function::GetGlobal("name");
  (void)ffi::Function::GetGlobal(string);
  (void)ffi::Function::GetGlobalRequired(string);
  ffi::Function::RemoveGlobal(text);
  (void)text.compare(text);
  (void)text.compare("name");
  (void)text.compare(string);
  (void)text.starts_with(text);
  (void)text.ends_with("name");
  (void)text.find("name", 0);
  (void)(text + string);
  (void)(string + text);
  (void)("name" + text);
  const ffi::Bytes bytes(string);
}

[[maybe_unused]] void AddressesAndSizes(const ffi::String& text, const char* data,
                                        TVMFFIByteArray array) {
  const ffi::String copy(array);
  const ffi::Bytes bytes(array);
  (void)text.compare(array);
  (void)text.starts_with(data, 3);
  (void)text.ends_with(data, 3);
  (void)text.find(data, 0, 3);
}

[[maybe_unused]] void Values(const ffi::Any& any, const ffi::ObjectRef& object,
                             const ffi::Expected<int64_t>& expected) {
  (void)any.same_as(object);
  const ffi::Expected<double> converted(expected);
  const ffi::reflection::Metadata metadata{{ffi::String("a"), 1}};
}

[[maybe_unused]] void Tensors(const ffi::Tensor& tensor, DLDataType dtype) {
  (void)ffi::GetDataSize(*tensor.GetDLTensorPtr());
  (void)ffi::GetDataSize(tensor);
  (void)ffi::GetDataSize(ffi::TensorView(tensor));
  (void)(dtype == dtype);
  (void)(dtype != dtype);
  std::ostringstream stream;
  stream << dtype << ffi::Shape({1});
}

[[maybe_unused]] void Objects(const ffi::ObjectPtr<ffi::Object>& object) {
  (void)(object == nullptr);
  (void)(object != nullptr);
  const ffi::reflection::FieldGetter get("testing.Type", "field");
  (void)get(object);
  (void)ffi::reflection::GetMethod("testing.Type", "method");
}

[[maybe_unused]] void Errors() { throw ffi::EnvErrorAlreadySet(); }

[[maybe_unused]] void Optionals(ffi::Optional<int64_t> number) {
  number = std::nullopt;
  (void)(number == std::nullopt);
  (void)(number == 1);
  if (number.has_value()) (void)number.value();
}

}  // namespace
