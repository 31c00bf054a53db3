// SPDX-License-Identifier: Apache-2.0
// Values as JSON text: a list of nodes that refer to each other by index.
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/extra/base64.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/reflection/creator.h>
#include <tvm/ffi/reflection/registry.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "big_decimal.h"
#include "enum.h"
#include "reflected.h"
#include "structural.h"

namespace ffi = tvm::ffi;
namespace json = tvm::ffi::json;

using ffi::Any;

namespace {

constexpr const char* kTo = "ffi.ToJSONGraph";
constexpr const char* kFrom = "ffi.FromJSONGraph";

std::string TypeKeyOf(int32_t type) { return ffi::TextOf(ffi::InfoOf(type)->type_key); }

// Whether the object's node holds the field's value itself, rather than the index of a node.
bool IsInObject(const TVMFFIFieldInfo& field) {
  const int32_t type = field.field_static_type_index;
  return type == kTVMFFIInt || type == kTVMFFIFloat || type == kTVMFFIBool ||
         type == kTVMFFIDataType;
}

// Traverses a value without recursion, as it may be deeply nested.
class Writer {
 public:
  json::Object Write(const Any& root) {
    Begin(root);
    while (!open_.empty()) {
      if (open_.back().next < open_.back().parts.size()) {
        const Any part = open_.back().parts[open_.back().next++];
        Begin(part);
      } else {
        const Open done = std::move(open_.back());
        open_.pop_back();
        Finish(done);
      }
    }
    json::Object graph;
    graph.Set("root_index", places_.at(root));
    graph.Set("nodes", nodes_);
    return graph;
  }

 private:
  struct Open {
    Any value;
    std::vector<Any> parts;  // with nodes of their own
    size_t next = 0;
  };

  static constexpr int64_t kOpen = -1;

  void AddNode(const Any& value, const std::string& type_key, const Any& data) {
    json::Object node;
    node.Set("type", ffi::String(type_key));
    if (value.type_index() != kTVMFFINone) node.Set("data", data);
    places_[value] = static_cast<int64_t>(nodes_.size());
    nodes_.push_back(node);
  }

  void Begin(const Any& value) {
    const auto known = places_.find(value);
    if (known != places_.end()) {
      TVM_FFI_CHECK(known->second != kOpen, ValueError)
          << kTo << ": expected a value that does not contain itself, got " << value.GetTypeKey()
          << " that does";
      return;
    }
    const int32_t type = value.type_index();
    switch (type) {
      case kTVMFFINone:
      case kTVMFFIBool:
      case kTVMFFIInt:
      case kTVMFFIFloat:
        return AddNode(value, TypeKeyOf(type), value);
      case kTVMFFISmallStr:
      case kTVMFFIStr:
        return AddNode(value, "ffi.String", value);
      case kTVMFFISmallBytes:
      case kTVMFFIBytes:
        return AddNode(value, "ffi.Bytes", ffi::Base64Encode(value.cast<ffi::Bytes>()));
      case kTVMFFIDataType:
        return AddNode(value, "DataType", ffi::DLDataTypeToString(value.cast<DLDataType>()));
      case kTVMFFIDevice: {
        const auto device = value.cast<DLDevice>();
        return AddNode(value, "Device",
                       json::Array{static_cast<int64_t>(device.device_type),
                                   static_cast<int64_t>(device.device_id)});
      }
      case kTVMFFIBigInt: {
        const TVMFFIAny any = value.CopyToTVMFFIAny();
        return AddNode(value, "ffi.BigInt",
                       ffi::String(ffi::BigToDecimal(TVMFFIBigIntGetContentByteArray(&any))));
      }
      case kTVMFFIShape: {
        json::Array dimensions;
        for (int64_t dimension : value.cast<ffi::Shape>()) dimensions.push_back(dimension);
        return AddNode(value, "ffi.Shape", dimensions);
      }
      default:
        break;
    }
    Open open{value, {}};
    if (ffi::IsSequence(type)) {
      open.parts = ffi::ElementsOf(value);
    } else if (ffi::IsMapping(type)) {
      open.parts = ffi::PairsOf(value);
    } else {
      TVM_FFI_CHECK(type >= kTVMFFIStaticObjectBegin, TypeError)
          << kTo << ": expected a value that can be written as text, got " << value.GetTypeKey();
      if (const auto own = ffi::TypeFunction(type, "__data_to_json__")) {
        return AddNode(value, TypeKeyOf(type), (*own)(value));
      }
      if (ffi::IsEnum(type)) return AddNode(value, TypeKeyOf(type), ffi::EnumIndex(value));
      const TVMFFITypeInfo* info = ffi::InfoOf(type);
      TVM_FFI_CHECK(ffi::HasCreator(info), TypeError)
          << kTo << ": expected values of types whose objects can be made without arguments, got "
          << value.GetTypeKey();
      ffi::reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo* field) {
        if (!IsInObject(*field)) {
          open.parts.push_back(ffi::ReadField(ffi::ObjectOf(value), *field));
        }
      });
    }
    places_[value] = kOpen;
    open_.push_back(std::move(open));
  }

  // Called when all parts have nodes.
  void Finish(const Open& open) {
    const int32_t type = open.value.type_index();
    json::Array places;
    for (const Any& part : open.parts) places.push_back(places_.at(part));
    if (ffi::IsSequence(type) || ffi::IsMapping(type)) {
      return AddNode(open.value, TypeKeyOf(type), places);
    }
    json::Object fields;
    int64_t at = 0;
    ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
      Any data;
      if (IsInObject(*field)) {
        data = ffi::ReadField(ffi::ObjectOf(open.value), *field);
        if (data.type_index() == kTVMFFIDataType) {
          data = ffi::DLDataTypeToString(data.cast<DLDataType>());
        }
      } else {
        data = places[at++];
      }
      fields.Set(ffi::String(ffi::TextOf(field->name)), data);
    });
    AddNode(open.value, TypeKeyOf(type), fields);
  }

  json::Array nodes_;
  std::vector<Open> open_;
  // Keyed by content for strings and numbers, by address for objects, which it keeps alive.
  std::unordered_map<Any, int64_t, ffi::AnyHash, ffi::AnyEqual> places_;
};

// Creates the values of the nodes without recursion, those they refer to first.
class Reader {
 public:
  explicit Reader(const Any& graph) {
    const auto object = graph.try_cast<json::Object>();
    TVM_FFI_CHECK(object.has_value(), ValueError)
        << kFrom << ": expected an object with root_index and nodes, got " << graph.GetTypeKey();
    root_ = Get<int64_t>(*object, "root_index", "the graph");
    nodes_ = Get<json::Array>(*object, "nodes", "the graph");
    values_.resize(nodes_.size());
    states_.resize(nodes_.size());
  }

  Any Read() {
    waiting_.push_back(Checked(root_));
    while (!waiting_.empty()) {
      const size_t place = waiting_.back();
      if (states_[place] == kMade) {
        waiting_.pop_back();
      } else if (states_[place] == kOpen) {
        values_[place] = Make(place);
        states_[place] = kMade;
        waiting_.pop_back();
      } else {
        states_[place] = kOpen;
        for (int64_t part : PartsOf(place)) {
          const size_t next = Checked(part);
          // An open node contains this one.
          TVM_FFI_CHECK(states_[next] != kOpen, ValueError)
              << kFrom << ": node " << part << ": expected a node that does not contain itself";
          if (states_[next] == kNew) waiting_.push_back(next);
        }
      }
    }
    return values_[static_cast<size_t>(root_)];
  }

 private:
  enum State : char { kNew, kOpen, kMade };

  template <typename T>
  static T Get(const json::Object& object, const char* name, const std::string& where) {
    const auto found = object.find(ffi::String(name));
    TVM_FFI_CHECK(found != object.end(), ValueError)
        << kFrom << ": " << where << ": expected a member \"" << name << "\", got none";
    const auto value = Any((*found).second).try_cast<T>();
    TVM_FFI_CHECK(value.has_value(), ValueError)
        << kFrom << ": " << where << ": " << name << ": expected " << ffi::TypeTraits<T>::TypeStr()
        << ", got " << Any((*found).second).GetTypeKey();
    return *value;
  }

  size_t Checked(int64_t place) const {
    TVM_FFI_CHECK(0 <= place && place < static_cast<int64_t>(nodes_.size()), ValueError)
        << kFrom << ": expected the index of one of " << nodes_.size() << " nodes, got " << place;
    return static_cast<size_t>(place);
  }

  static std::string Where(size_t place) {
    return (ffi::Message().self() << "node " << place).take();
  }

  json::Object Node(size_t place) const {
    const auto node = nodes_[static_cast<int64_t>(place)].try_cast<json::Object>();
    TVM_FFI_CHECK(node.has_value(), ValueError)
        << kFrom << ": " << Where(place) << ": expected an object, got "
        << nodes_[static_cast<int64_t>(place)].GetTypeKey();
    return *node;
  }

  template <typename T>
  T Data(size_t place) const {
    return Get<T>(Node(place), "data", Where(place));
  }

  // For a type that is not one of this file's own values.
  const TVMFFITypeInfo* InfoOf(size_t place) const {
    const auto key = Get<std::string>(Node(place), "type", Where(place));
    const TVMFFIByteArray text{key.data(), key.size()};
    int32_t type = 0;
    TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeKeyToIndex(&text, &type));
    return ffi::InfoOf(type);
  }

  std::vector<int64_t> PartsOf(size_t place) const {
    const auto type = Get<std::string>(Node(place), "type", Where(place));
    std::vector<int64_t> parts;
    if (type == "ffi.Array" || type == "ffi.List" || type == "ffi.Map" || type == "ffi.Dict") {
      for (int64_t part : Data<ffi::Array<int64_t>>(place)) parts.push_back(part);
      TVM_FFI_CHECK(type == "ffi.Array" || type == "ffi.List" || parts.size() % 2 == 0, ValueError)
          << kFrom << ": " << Where(place) << ": expected key-value pairs, got " << parts.size()
          << " entries";
    } else if (!IsValue(type)) {
      const TVMFFITypeInfo* info = InfoOf(place);
      if (ffi::TypeFunction(info->type_index, "__data_from_json__")) return parts;
      if (ffi::IsEnum(info->type_index)) return parts;
      const auto data = Data<json::Object>(place);
      ffi::reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo* field) {
        const std::string name = ffi::TextOf(field->name);
        if (IsInObject(*field) || data.count(ffi::String(name)) == 0) return;
        parts.push_back(Get<int64_t>(data, name.c_str(), Where(place)));
      });
    }
    return parts;
  }

  static bool IsValue(std::string_view type) {
    for (const char* value : {"None", "bool", "int", "float", "ffi.String", "ffi.Bytes", "DataType",
                              "Device", "ffi.Shape", "ffi.BigInt"}) {
      if (type == value) return true;
    }
    return false;
  }

  Any Make(size_t place) const {
    const auto type = Get<std::string>(Node(place), "type", Where(place));
    if (type == "None") return Any();
    if (type == "bool") return Data<bool>(place);
    if (type == "int") return Data<int64_t>(place);
    if (type == "float") return Data<double>(place);
    if (type == "ffi.String") return Data<ffi::String>(place);
    if (type == "ffi.Bytes") return ffi::Base64Decode(Data<ffi::String>(place));
    if (type == "DataType") {
      return ffi::StringToDLDataType(std::string(Data<ffi::String>(place)));
    }
    if (type == "Device") {
      const auto numbers = Data<ffi::Array<int32_t>>(place);
      TVM_FFI_CHECK(numbers.size() == 2, ValueError)
          << kFrom << ": " << Where(place) << ": expected a device's type and index, got "
          << numbers.size() << " numbers";
      return DLDevice{static_cast<DLDeviceType>(numbers[0]), numbers[1]};
    }
    if (type == "ffi.Shape") {
      const auto dimensions = Data<ffi::Array<int64_t>>(place);
      return ffi::Shape(dimensions.begin(), dimensions.end());
    }
    if (type == "ffi.BigInt") {
      Any number;
      const std::string text = Data<std::string>(place);
      TVM_FFI_CHECK(ffi::BigFromDecimal(text, &number), ValueError)
          << kFrom << ": " << Where(place) << ": expected decimal digits, got \"" << text << "\"";
      return number;
    }
    if (type == "ffi.Array") return Elements<ffi::Array<Any>>(place);
    if (type == "ffi.List") return Elements<ffi::List<Any>>(place);
    if (type == "ffi.Map") return Pairs<ffi::Map<Any, Any>>(place);
    if (type == "ffi.Dict") return Pairs<ffi::Dict<Any, Any>>(place);
    return MakeObject(place);
  }

  template <typename Seq>
  Any Elements(size_t place) const {
    Seq made;
    for (int64_t part : PartsOf(place)) made.push_back(values_[static_cast<size_t>(part)]);
    return made;
  }

  template <typename Mapping>
  Any Pairs(size_t place) const {
    Mapping made;
    const std::vector<int64_t> parts = PartsOf(place);
    for (size_t i = 0; i < parts.size(); i += 2) {
      made.Set(values_[static_cast<size_t>(parts[i])], values_[static_cast<size_t>(parts[i + 1])]);
    }
    return made;
  }

  Any MakeObject(size_t place) const {
    const TVMFFITypeInfo* info = InfoOf(place);
    if (const auto own = ffi::TypeFunction(info->type_index, "__data_from_json__")) {
      return (*own)(Data<Any>(place));
    }
    if (ffi::IsEnum(info->type_index)) return ffi::EnumAt(info->type_index, Data<Any>(place));
    const auto data = Data<json::Object>(place);
    if (ffi::TextOf(info->type_key) == "ffi.StructuralKey") {
      // The writer may hash differently, and a wrong hash would hide the key in a mapping.
      return ffi::MakeStructuralKey(
          values_[static_cast<size_t>(Get<int64_t>(data, "key", Where(place)))]);
    }
    ffi::Map<ffi::String, Any> fields;
    ffi::reflection::ForEachFieldInfo(info, [&](const TVMFFIFieldInfo* field) {
      const ffi::String name(ffi::TextOf(field->name));
      const auto found = data.find(name);
      if (found == data.end()) return;  // the default applies
      Any value = (*found).second;
      if (!IsInObject(*field)) {
        value = values_[static_cast<size_t>(value.cast<int64_t>())];
      } else if (field->field_static_type_index == kTVMFFIDataType) {
        value = ffi::StringToDLDataType(value.cast<std::string>());
      }
      fields.Set(name, value);
    });
    return ffi::reflection::ObjectCreator(info)(fields);
  }

  int64_t root_ = 0;
  json::Array nodes_;
  std::vector<size_t> waiting_;
  std::vector<State> states_;
  std::vector<Any> values_;
};

json::Object ToGraph(const Any& value, const Any& metadata) {
  json::Object graph = Writer().Write(value);
  if (metadata != nullptr) graph.Set("metadata", metadata);
  return graph;
}

Any FromGraph(const Any& graph) { return Reader(graph).Read(); }

[[maybe_unused]] const bool registered = [] {
  ffi::reflection::GlobalDef()
      .def(kTo, ToGraph, "A value as a JSON object.")
      .def(kFrom, FromGraph, "The value that a JSON object was made of.")
      .def(
          "ffi.ToJSONGraphString",
          [](const Any& value, const Any& metadata) {
            return json::Stringify(ToGraph(value, metadata));
          },
          "A value as JSON text.")
      .def(
          "ffi.FromJSONGraphString",
          [](const ffi::String& text) { return FromGraph(json::Parse(text)); },
          "The value that JSON text was made of.")
      .def(
          "ffi.json.Parse", [](const ffi::String& text) { return json::Parse(text); },
          "Read JSON text.")
      .def(
          "ffi.json.Stringify",
          [](const Any& value, const ffi::Optional<int>& indent) {
            return json::Stringify(value, indent);
          },
          "Write a value as JSON text.");
  return true;
}();

}  // namespace
