// SPDX-License-Identifier: Apache-2.0
// Deep equality, ordering and hashing of values.
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reflected.h"

namespace ffi = tvm::ffi;

using ffi::Any;

namespace {

enum class Mode { kEqual, kOrder };

template <typename T>
int Order(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

std::string_view BytesOf(const Any& value) {
  // Use the value itself, as a small string stores its bytes inline.
  const TVMFFIByteArray bytes = ffi::detail::BytesOf(*ffi::detail::Raw(value));
  return {bytes.data, bytes.size};
}

int OrderBigIntegers(const Any& a, const Any& b) {
  const TVMFFIAny x = a.CopyToTVMFFIAny();
  const TVMFFIAny y = b.CopyToTVMFFIAny();
  const TVMFFIByteArray p = TVMFFIBigIntGetContentByteArray(&x);
  const TVMFFIByteArray q = TVMFFIBigIntGetContentByteArray(&y);
  const auto byte = [](const TVMFFIByteArray& bytes, size_t i) {
    return static_cast<uint8_t>(bytes.data[i]);
  };
  const bool negative = (byte(p, p.size - 1) & 0x80) != 0;
  if (negative != ((byte(q, q.size - 1) & 0x80) != 0)) return negative ? -1 : 1;
  if (p.size != q.size) return (p.size < q.size) != negative ? -1 : 1;
  for (size_t i = p.size; i-- > 0;) {
    if (byte(p, i) != byte(q, i)) return Order(byte(p, i), byte(q, i));
  }
  return 0;
}

// Objects of runtime types without registered contents are compared by address.
bool IsIdentity(int32_t type) {
  return type >= kTVMFFIStaticObjectBegin && type < kTVMFFIDynObjectBegin &&
         !ffi::IsSequence(type) && !ffi::IsMapping(type) && ffi::InfoOf(type)->num_fields == 0;
}

// Traverses two values in parallel without recursion, as they may be deeply nested. Pairs visited
// before count as equal: any difference is found at the first visit.
class Comparison {
 public:
  Comparison(const char* name, Mode mode) : name_(name), mode_(mode) {}

  // Negative, 0 or positive if `a` is before, equal to or after `b`; in Mode::kEqual only whether
  // it is 0 is meaningful.
  int Compare(const Any& a, const Any& b) {
    waiting_.push_back({a, b, false});
    while (!waiting_.empty()) {
      const Pair pair = std::move(waiting_.back());
      waiting_.pop_back();
      const size_t before = waiting_.size();
      int order = CompareOne(pair.a, pair.b, pair.in_mapping);
      // Of two sequences with a common prefix, the shorter one comes first.
      std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end());
      if (order != 0) {
        if (mode_ == Mode::kOrder && pair.in_mapping) ThrowMapping();
        return order;
      }
    }
    return 0;
  }

 private:
  struct Pair {
    Any a;
    Any b;
    bool in_mapping;
  };

  [[noreturn]] void ThrowMapping() const {
    TVM_FFI_THROW(TypeError) << name_ << ": expected values that have an order, got two ffi.Map or "
                             << "ffi.Dict that are not equal";
  }

  int CompareOne(const Any& a, const Any& b, bool in_mapping) {
    const int32_t type = ffi::detail::KeyType(a.CopyToTVMFFIAny());
    const int32_t other = ffi::detail::KeyType(b.CopyToTVMFFIAny());
    const bool integers = IsInteger(type) && IsInteger(other);
    if (type != other && !integers) {
      if (mode_ == Mode::kEqual) return 1;
      if (type == kTVMFFINone) return -1;
      if (other == kTVMFFINone) return 1;
      if (in_mapping) ThrowMapping();
      TVM_FFI_THROW(TypeError) << name_ << ": expected values of one type, got " << a.GetTypeKey()
                               << " and " << b.GetTypeKey();
    }
    switch (type) {
      case kTVMFFINone:
        return 0;
      case kTVMFFIBool:
        return Order(a.cast<bool>(), b.cast<bool>());
      case kTVMFFIInt:
      case kTVMFFIBigInt:
        if (type == kTVMFFIInt && other == kTVMFFIInt) {
          return Order(a.cast<int64_t>(), b.cast<int64_t>());
        }
        return OrderBigIntegers(a, b);
      case kTVMFFIFloat:
        return OrderFloats(a.cast<double>(), b.cast<double>());
      case kTVMFFIStr:
      case kTVMFFIBytes:
        return Order(BytesOf(a), BytesOf(b));
      case kTVMFFIDataType: {
        const auto x = a.cast<DLDataType>();
        const auto y = b.cast<DLDataType>();
        return Order(std::tuple(x.code, x.bits, x.lanes), std::tuple(y.code, y.bits, y.lanes));
      }
      case kTVMFFIDevice: {
        const auto x = a.cast<DLDevice>();
        const auto y = b.cast<DLDevice>();
        return Order(std::pair<int, int>(x.device_type, x.device_id),
                     std::pair<int, int>(y.device_type, y.device_id));
      }
      case kTVMFFIShape: {
        const auto x = a.cast<ffi::Shape>();
        const auto y = b.cast<ffi::Shape>();
        if (std::equal(x.begin(), x.end(), y.begin(), y.end())) return 0;
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end()) ? -1 : 1;
      }
      default:
        break;
    }
    const uint64_t x = a.CopyToTVMFFIAny().v_uint64;
    const uint64_t y = b.CopyToTVMFFIAny().v_uint64;
    if (x == y) return 0;
    if (type < kTVMFFIStaticObjectBegin || IsIdentity(type)) return CompareAddresses(a, x, y);
    if (!met_.insert({x, y}).second) return 0;
    // Keep them alive, so that no other objects get their addresses.
    kept_.push_back(a);
    kept_.push_back(b);
    if (ffi::IsSequence(type)) return AddElements(a, b, in_mapping);
    if (ffi::IsMapping(type)) return AddPairs(a, b);
    return AddFields(a, b, in_mapping);
  }

  static bool IsInteger(int32_t type) { return type == kTVMFFIInt || type == kTVMFFIBigInt; }

  int OrderFloats(double a, double b) const {
    if (std::isnan(a) || std::isnan(b)) {
      TVM_FFI_CHECK(mode_ == Mode::kEqual, TypeError)
          << name_ << ": expected values that have an order, got NaN";
      return std::isnan(a) && std::isnan(b) ? 0 : 1;
    }
    return Order(a, b);
  }

  int CompareAddresses(const Any& value, uint64_t a, uint64_t b) const {
    TVM_FFI_CHECK(mode_ == Mode::kEqual, TypeError)
        << name_ << ": expected values that have an order, got two different ones of "
        << value.GetTypeKey();
    return Order(a, b);
  }

  int AddElements(const Any& a, const Any& b, bool in_mapping) {
    const std::vector<Any> x = ffi::ElementsOf(a);
    const std::vector<Any> y = ffi::ElementsOf(b);
    if (mode_ == Mode::kEqual && x.size() != y.size()) return 1;
    const size_t common = std::min(x.size(), y.size());
    for (size_t i = 0; i < common; ++i) waiting_.push_back({x[i], y[i], in_mapping});
    if (x.size() == y.size()) return 0;
    // After the elements, compare the sizes.
    waiting_.push_back(
        {Any(static_cast<int64_t>(x.size())), Any(static_cast<int64_t>(y.size())), in_mapping});
    return 0;
  }

  int AddPairs(const Any& a, const Any& b) {
    const auto* y = static_cast<const ffi::MapBaseObj*>(ffi::ObjectOf(b));
    const std::vector<Any> pairs = ffi::PairsOf(a);
    bool equal = pairs.size() == 2 * y->size();
    for (size_t i = 0; equal && i < pairs.size(); i += 2) {
      const auto found = y->find(pairs[i]);
      equal = found != y->end();
      if (equal) waiting_.push_back({pairs[i + 1], found->second, true});
    }
    if (!equal && mode_ == Mode::kOrder) ThrowMapping();
    return equal ? 0 : 1;
  }

  int AddFields(const Any& a, const Any& b, bool in_mapping) {
    const int32_t type = a.type_index();
    if (mode_ == Mode::kEqual) {
      if (const auto own = ffi::TypeFunction(type, "__ffi_eq__")) {
        const ffi::CallBackDepth depth(name_);
        return (*own)(a, b, Part(true)).cast<bool>() ? 0 : 1;
      }
    }
    if (const auto own = ffi::TypeFunction(type, "__ffi_compare__")) {
      const ffi::CallBackDepth depth(name_);
      return Order((*own)(a, b, Part(false)).cast<int64_t>(), int64_t{0});
    }
    ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
      if (ffi::Has(*field, kTVMFFIFieldFlagBitMaskCompareOff)) return;
      waiting_.push_back({ffi::ReadField(ffi::ObjectOf(a), *field),
                          ffi::ReadField(ffi::ObjectOf(b), *field), in_mapping});
    });
    return 0;
  }

  // The callback with which a type's own function compares parts: for equality or for order.
  ffi::Function Part(bool whether_equal) const {
    const auto compare = [name = name_, mode = mode_, met = met_](const Any& a, const Any& b) {
      Comparison part(name, mode);
      part.met_ = met;
      return part.Compare(a, b);
    };
    if (whether_equal) {
      return ffi::Function::FromTyped(
          [compare](const Any& a, const Any& b) { return compare(a, b) == 0; });
    }
    return ffi::Function::FromTyped(compare);
  }

  const char* name_;
  Mode mode_;
  std::vector<Pair> waiting_;
  std::set<std::pair<uint64_t, uint64_t>> met_;
  std::vector<Any> kept_;
};

constexpr const char* kHash = "ffi.RecursiveHash";

uint64_t Mix(uint64_t hash, uint64_t next) {
  return hash ^ (next + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
}

// Traverses a value without recursion. Equal values have equal hashes.
class Hasher {
 public:
  uint64_t Hash(const Any& root) {
    uint64_t hash = 0;
    if (Begin(root, &hash)) return hash;
    while (true) {
      Open& open = open_.back();
      if (open.next < open.parts.size()) {
        const Any part = open.parts[open.next++];
        // A new object becomes the innermost one; its hash is added once complete.
        if (Begin(part, &hash)) Add(&open_.back(), hash);
        continue;
      }
      hash = Mix(open.hash, open.parts.size());
      done_[ffi::ObjectOf(open.value)] = hash;
      open_.pop_back();
      if (open_.empty()) return hash;
      Add(&open_.back(), hash);
    }
  }

 private:
  struct Open {
    Any value;
    std::vector<Any> parts;
    size_t next;
    uint64_t hash;
    uint64_t key = 0;
    bool is_mapping;
  };

  static void Add(Open* open, uint64_t hash) {
    if (!open->is_mapping) {
      open->hash = Mix(open->hash, hash);
    } else if (open->next % 2 == 1) {
      open->key = hash;
    } else {
      open->hash += Mix(open->key, hash);  // in any order
    }
  }

  // Returns true if the hash is known immediately.
  bool Begin(const Any& value, uint64_t* hash) {
    const TVMFFIAny any = value.CopyToTVMFFIAny();
    const int32_t type = ffi::detail::KeyType(any);
    const bool is_leaf = type < kTVMFFIStaticObjectBegin || type == kTVMFFIStr ||
                         type == kTVMFFIBytes || type == kTVMFFIBigInt || IsIdentity(type);
    if (type == kTVMFFIFloat && (any.v_float64 == 0 || std::isnan(any.v_float64))) {
      // Equal values have equal hashes: 0.0 and -0.0, and all NaNs.
      const double same = any.v_float64 == 0 ? 0.0 : std::nan("");
      *hash = ffi::detail::HashOf(Any(same).CopyToTVMFFIAny());
      return true;
    }
    if (is_leaf && type != kTVMFFIShape) {
      *hash = ffi::detail::HashOf(any);
      return true;
    }
    const ffi::Object* object = ffi::ObjectOf(value);
    const auto known = done_.find(object);
    if (known != done_.end()) {
      *hash = known->second;
      return true;
    }
    Open open{value, {}, 0, static_cast<uint64_t>(type), 0, ffi::IsMapping(type)};
    if (type == kTVMFFIShape) {
      for (int64_t dimension : value.cast<ffi::Shape>()) open.parts.emplace_back(dimension);
    } else if (ffi::IsSequence(type)) {
      open.parts = ffi::ElementsOf(value);
    } else if (ffi::IsMapping(type)) {
      open.parts = ffi::PairsOf(value);
    } else if (const auto own = ffi::TypeFunction(type, "__ffi_hash__")) {
      const ffi::CallBackDepth depth(kHash);
      const auto part = ffi::Function::FromTyped([done = done_](const Any& value) {
        Hasher hasher;
        hasher.done_ = done;
        return static_cast<int64_t>(hasher.Hash(value));
      });
      *hash = static_cast<uint64_t>((*own)(value, part).cast<int64_t>());
      return true;
    } else {
      TVM_FFI_CHECK(
          !ffi::TypeFunction(type, "__ffi_eq__") && !ffi::TypeFunction(type, "__ffi_compare__"),
          ValueError)
          << kHash << ": expected a type with __ffi_hash__, since it has its own equality, got "
          << value.GetTypeKey();
      constexpr int64_t kOff = kTVMFFIFieldFlagBitMaskHashOff | kTVMFFIFieldFlagBitMaskCompareOff;
      ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
        if (!ffi::Has(*field, kOff)) open.parts.push_back(ffi::ReadField(object, *field));
      });
    }
    // Provisional, for objects that contain themselves.
    done_[object] = open.hash;
    kept_.push_back(value);
    open_.push_back(std::move(open));
    return false;
  }

  std::vector<Open> open_;
  std::unordered_map<const ffi::Object*, uint64_t> done_;
  std::vector<Any> kept_;  // so that no other objects get their addresses
};

int64_t RecursiveHash(const Any& value) { return static_cast<int64_t>(Hasher().Hash(value)); }

bool RecursiveEq(const Any& a, const Any& b) {
  return Comparison("ffi.RecursiveEq", Mode::kEqual).Compare(a, b) == 0;
}
bool RecursiveLt(const Any& a, const Any& b) {
  return Comparison("ffi.RecursiveLt", Mode::kOrder).Compare(a, b) < 0;
}
bool RecursiveLe(const Any& a, const Any& b) {
  return Comparison("ffi.RecursiveLe", Mode::kOrder).Compare(a, b) <= 0;
}
bool RecursiveGt(const Any& a, const Any& b) {
  return Comparison("ffi.RecursiveGt", Mode::kOrder).Compare(a, b) > 0;
}
bool RecursiveGe(const Any& a, const Any& b) {
  return Comparison("ffi.RecursiveGe", Mode::kOrder).Compare(a, b) >= 0;
}

[[maybe_unused]] const bool registered = [] {
  ffi::reflection::GlobalDef()
      .def(kHash, RecursiveHash, "A hash of a value by what it contains.")
      .def("ffi.RecursiveEq", RecursiveEq, "Whether two values contain the same.")
      .def("ffi.RecursiveLt", RecursiveLt, "Whether the first is before the second.")
      .def("ffi.RecursiveLe", RecursiveLe, "Whether the first is before or equal to the second.")
      .def("ffi.RecursiveGt", RecursiveGt, "Whether the first is after the second.")
      .def("ffi.RecursiveGe", RecursiveGe, "Whether the first is after or equal to the second.");
  return true;
}();

}  // namespace
