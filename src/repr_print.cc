// SPDX-License-Identifier: Apache-2.0
// The printed form of any value.
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/decimal_point.h>
#include <tvm/ffi/reflection/registry.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "big_decimal.h"
#include "enum.h"
#include "reflected.h"

namespace ffi = tvm::ffi;

using ffi::Any;

namespace {

constexpr const char* kName = "ffi.ReprPrint";

void AppendHex(std::string* text, const char* prefix, int width, uint32_t number) {
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), "%s%0*x", prefix, width, number);
  *text += buffer;
}

// The first character of `text` and its size in bytes; the size is 0 if it is not UTF-8.
std::pair<uint32_t, size_t> FirstCharacter(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t first = byte(0);
  const size_t size = first < 0x80   ? 1
                      : first < 0xc2 ? 0
                      : first < 0xe0 ? 2
                      : first < 0xf0 ? 3
                      : first < 0xf5 ? 4
                                     : 0;
  if (size == 0 || text.size() < size) return {0, 0};
  uint32_t character = size == 1 ? first : first & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    character = character << 6 | (byte(i) & 0x3f);
  }
  return {character, size};
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const auto [character, size] = FirstCharacter(text);
    if (size == 0) {
      AppendHex(&quoted, "\\x", 2, static_cast<uint8_t>(text.front()));
    } else if (character == '"' || character == '\\') {
      (quoted += '\\') += text.front();
    } else if (character == '\n') {
      quoted += "\\n";
    } else if (character == '\r') {
      quoted += "\\r";
    } else if (character == '\t') {
      quoted += "\\t";
    } else if (character < 0x20 || character == 0x7f) {
      AppendHex(&quoted, "\\x", 2, character);
    } else if (character < 0x80) {
      quoted += text.front();
    } else if (character < 0x10000) {
      AppendHex(&quoted, "\\u", 4, character);
    } else {
      AppendHex(&quoted, "\\U", 8, character);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return quoted + '"';
}

std::string QuotedBytes(std::string_view bytes) {
  std::string quoted = "b\"";
  for (char c : bytes) {
    if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
      AppendHex(&quoted, "\\x", 2, static_cast<uint8_t>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

template <typename Numbers>
std::string Joined(const Numbers& numbers) {
  std::string text;
  for (int64_t number : numbers) {
    if (!text.empty()) text += ", ";
    text += (ffi::Message().self() << number).take();
  }
  return text;
}

// The printed form of a value that contains no others.
std::string Leaf(const Any& value) {
  switch (value.type_index()) {
    case kTVMFFINone:
      return "None";
    case kTVMFFIBool:
      return value.cast<bool>() ? "True" : "False";
    case kTVMFFIInt:
      return (ffi::Message().self() << value.cast<int64_t>()).take();
    case kTVMFFIFloat: {
      char buffer[32];
      std::snprintf(buffer, sizeof(buffer), "%g", value.cast<double>());
      ffi::detail::UsePoint(buffer);
      return buffer;
    }
    case kTVMFFIOpaquePtr:
      return "void*";
    case kTVMFFIDataType:
      return std::string(ffi::DLDataTypeToString(value.cast<DLDataType>()));
    case kTVMFFIDevice:
      return std::string(ffi::DLDeviceToString(value.cast<DLDevice>()));
    case kTVMFFISmallStr:
    case kTVMFFIStr: {
      const auto text = value.cast<ffi::String>();
      return Quoted({text.data(), text.size()});
    }
    case kTVMFFISmallBytes:
    case kTVMFFIBytes: {
      const auto bytes = value.cast<ffi::Bytes>();
      return QuotedBytes({bytes.data(), bytes.size()});
    }
    case kTVMFFIBigInt: {
      const TVMFFIAny any = value.CopyToTVMFFIAny();
      return ffi::BigToDecimal(TVMFFIBigIntGetContentByteArray(&any));
    }
    case kTVMFFIShape:
      return "Shape(" + Joined(value.cast<ffi::Shape>()) + ")";
    case kTVMFFITensor: {
      const auto tensor = value.cast<ffi::Tensor>();
      return std::string(ffi::DLDataTypeToString(tensor.dtype())) + "[" + Joined(tensor.shape()) +
             "]@" + std::string(ffi::DLDeviceToString(tensor.device()));
    }
    default:
      return ffi::TextOf(ffi::InfoOf(value.type_index())->type_key);
  }
}

// Traverses a value without recursion, as it may be deeply nested.
class Printer {
 public:
  std::string Print(const Any& root) {
    waiting_.push_back({Step::kValue, root, {}});
    while (!waiting_.empty()) {
      Step step = std::move(waiting_.back());
      waiting_.pop_back();
      if (step.kind == Step::kText) {
        text_ += step.text;
      } else if (step.kind == Step::kEnd) {
        open_.erase(ffi::ObjectOf(step.value));
      } else {
        Write(step.value);
      }
    }
    return std::move(text_);
  }

 private:
  struct Step {
    enum Kind { kText, kValue, kEnd } kind;
    Any value;
    std::string text;
  };

  void Write(const Any& value) {
    const int32_t type = value.type_index();
    if (type < kTVMFFIStaticObjectBegin) {
      text_ += Leaf(value);
      return;
    }
    if (open_.count(ffi::ObjectOf(value)) != 0) {
      text_ += "...";
      return;
    }
    std::vector<Step> steps;
    const auto add_text = [&](std::string text) {
      steps.push_back({Step::kText, Any(), std::move(text)});
    };
    const auto add = [&](Any part) { steps.push_back({Step::kValue, std::move(part), {}}); };
    if (ffi::IsSequence(type)) {
      const bool is_list = type == kTVMFFIList;
      const std::vector<Any> elements = ffi::ElementsOf(value);
      text_ += is_list ? "[" : "(";
      for (size_t i = 0; i < elements.size(); ++i) {
        if (i != 0) add_text(", ");
        add(elements[i]);
      }
      add_text(is_list ? "]" : elements.size() == 1 ? ",)" : ")");
    } else if (ffi::IsMapping(type)) {
      const std::vector<Any> pairs = ffi::PairsOf(value);
      text_ += "{";
      for (size_t i = 0; i < pairs.size(); ++i) {
        if (i != 0) add_text(i % 2 == 0 ? ", " : ": ");
        add(pairs[i]);
      }
      add_text("}");
    } else if (const auto own = ffi::TypeFunction(type, "__ffi_repr__")) {
      const ffi::CallBackDepth depth(kName);
      open_.insert(ffi::ObjectOf(value));
      const auto print = ffi::Function::FromTyped(
          [open = open_](const Any& part) { return Printer(open).Print(part); });
      text_ += (*own)(value, print).cast<std::string>();
      open_.erase(ffi::ObjectOf(value));
      return;
    } else if (ffi::IsEnum(type)) {
      text_ += ffi::EnumText(value);
      return;
    } else {
      text_ += Leaf(value);
      bool first = true;
      ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
        if (ffi::Has(*field, kTVMFFIFieldFlagBitMaskReprOff)) return;
        add_text((first ? "(" : ", ") + ffi::TextOf(field->name) + "=");
        add(ffi::ReadField(ffi::ObjectOf(value), *field));
        first = false;
      });
      if (first) return;
      add_text(")");
    }
    open_.insert(ffi::ObjectOf(value));
    waiting_.push_back({Step::kEnd, value, {}});
    while (!steps.empty()) {
      waiting_.push_back(std::move(steps.back()));
      steps.pop_back();
    }
  }

 public:
  Printer() = default;

 private:
  // Prints within objects that are already open.
  explicit Printer(std::unordered_set<const ffi::Object*> open) : open_(std::move(open)) {}

  std::string text_;
  std::vector<Step> waiting_;
  std::unordered_set<const ffi::Object*> open_;
};

ffi::String ReprPrint(const Any& value) { return Printer().Print(value); }

[[maybe_unused]] const bool registered = [] {
  ffi::reflection::GlobalDef().def(kName, ReprPrint, "The printed form of a value.");
  return true;
}();

}  // namespace
