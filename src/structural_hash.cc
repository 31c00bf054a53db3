// SPDX-License-Identifier: Apache-2.0
// Structural hash of values, independent of variable names.
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reflected.h"
#include "structural.h"
#include "structural_parts.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace {

constexpr const char* kHash = "ffi.StructuralHash";

uint64_t Mix(uint64_t hash, uint64_t next) {
  return hash ^ (next + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
}

// Traverses a value without recursion. Structurally equal values have equal hashes.
class Hasher {
 public:
  Hasher(bool map_free_vars, bool skip_tensor_content)
      : region_(map_free_vars ? kPattern : kNone), skip_content_(skip_tensor_content) {}

  uint64_t Hash(const Any& root) { return Run(root, region_); }

 private:
  struct Open {
    Any value;
    std::vector<std::pair<Any, Region>> parts;
    size_t next;
    uint64_t hash;
    bool is_variable;
    Region region;
  };

  // An entry added to variables_ or done_ while a type's own function hashes parts.
  struct Note {
    const Object* object;
    Region region;
    bool is_variable;
  };

  // Hashes a part for a type's own function, which may still go on if this throws.
  uint64_t RunPart(const Any& part, Region region) {
    const size_t open = open_.size();
    const size_t noted = notes_.size();
    ++parts_;
    try {
      const uint64_t hash = Run(part, region);
      if (--parts_ == 0) notes_.clear();
      return hash;
    } catch (...) {
      --parts_;
      open_.resize(open);
      for (; notes_.size() > noted; notes_.pop_back()) {
        const Note& note = notes_.back();
        if (note.is_variable) {
          variables_.erase(note.object);
        } else {
          done_.erase({note.object, note.region});
        }
      }
      throw;
    }
  }

  void AddNote(const Object* object, Region region, bool is_variable) {
    if (parts_ != 0) notes_.push_back({object, region, is_variable});
  }

  uint64_t Run(const Any& root, Region region) {
    uint64_t hash = 0;
    if (Begin(root, region, &hash)) return hash;
    const size_t base = open_.size();
    while (true) {
      if (open_.back().next < open_.back().parts.size()) {
        const auto [part, part_region] = open_.back().parts[open_.back().next++];
        // A new object becomes the innermost one; its hash is added once complete.
        if (Begin(part, part_region, &hash)) open_.back().hash = Mix(open_.back().hash, hash);
        continue;
      }
      const Open done = std::move(open_.back());
      open_.pop_back();
      hash = Mix(done.hash, done.parts.size());
      if (done.is_variable) {
        variables_[ObjectOf(done.value)] = hash;
      } else {
        done_[{ObjectOf(done.value), done.region}] = hash;
      }
      if (open_.size() < base) return hash;
      open_.back().hash = Mix(open_.back().hash, hash);
    }
  }

  // Returns true if the hash is known immediately.
  bool Begin(const Any& value, Region region, uint64_t* hash) {
    const TVMFFIAny& any = *detail::Raw(value);
    const int32_t type = detail::KeyType(any);
    if (type == kTVMFFIFloat && std::isnan(any.v_float64)) {
      return Known(Any(std::nan("")), hash);
    }
    if (IsLeaf(type)) return Known(value, hash);
    const Object* object = ObjectOf(value);
    const bool is_container =
        IsSequence(type) || IsMapping(type) || type == kTVMFFIShape || type == kTVMFFITensor;
    const TVMFFISEqHashKind kind = is_container ? kTVMFFISEqHashKindTreeNode : KindOf(kHash, type);
    if (kind == kTVMFFISEqHashKindUniqueInstance) return Known(value, hash);
    const bool is_variable = kind == kTVMFFISEqHashKindFreeVar;
    if (is_variable) {
      const auto known = variables_.find(object);
      if (known != variables_.end()) {
        *hash = known->second;
        return true;
      }
      if (region == kNone) {
        // From here on it matches only itself.
        Known(value, hash);
        variables_[object] = *hash;
        AddNote(object, region, true);
        kept_.push_back(value);
        return true;
      }
    } else {
      const auto known = done_.find({object, region});
      if (known != done_.end()) {
        *hash = known->second;
        return true;
      }
    }
    Open open{value, {}, 0, static_cast<uint64_t>(type), is_variable, region};
    kept_.push_back(value);
    AddNote(object, region, is_variable);
    if (is_variable) {
      open.hash = Mix(open.hash, variables_.size());
      variables_[object] = open.hash;
    } else {
      done_[{object, region}] = open.hash;  // provisional, for objects that contain themselves
    }
    if (type == kTVMFFIShape) {
      for (int64_t dimension : value.cast<Shape>()) open.parts.emplace_back(dimension, kNone);
    } else if (type == kTVMFFITensor) {
      const auto tensor = value.cast<Tensor>();
      for (int64_t dimension : tensor.shape()) open.parts.emplace_back(dimension, kNone);
      open.parts.emplace_back(tensor.dtype(), kNone);
      if (!skip_content_) open.parts.emplace_back(Bytes(ContentOf(kHash, tensor)), kNone);
    } else if (IsSequence(type)) {
      for (const Any& element : ElementsOf(value)) open.parts.emplace_back(element, region);
    } else if (IsMapping(type)) {
      AddPairs(value, region, &open);
    } else if (const auto own = TypeFunction(type, "__s_hash__")) {
      const CallBackDepth depth(kHash);
      const InUse in_use;
      const auto part = Function::FromTyped(
          [this, flag = in_use.flag](const Any& value, int64_t start, int part_region) {
            InUse::Check(kHash, *flag);
            const uint64_t added = RunPart(value, static_cast<Region>(part_region));
            return static_cast<int64_t>(Mix(static_cast<uint64_t>(start), added));
          });
      const auto start = static_cast<int64_t>(open.hash);
      *hash = static_cast<uint64_t>((*own)(value, start, part).cast<int64_t>());
      if (is_variable)
        variables_[object] = *hash;
      else
        done_[{object, region}] = *hash;
      return true;
    } else {
      const Region inside = is_variable ? RegionInVariable(region) : region;
      reflection::ForEachFieldInfo(InfoOf(type), [&](const TVMFFIFieldInfo* field) {
        if (Has(*field, kTVMFFIFieldFlagBitMaskSEqHashIgnore)) return;
        open.parts.emplace_back(ReadField(object, *field), RegionOf(*field, inside));
      });
    }
    open_.push_back(std::move(open));
    return false;
  }

  static bool Known(const Any& value, uint64_t* hash) {
    *hash = AnyHash()(value);
    return true;
  }

  // Adds values in the order of their keys' hashes, as the insertion order does not matter.
  void AddPairs(const Any& mapping, Region region, Open* open) const {
    std::vector<std::pair<uint64_t, Any>> sorted;
    const std::vector<Any> pairs = PairsOf(mapping);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      uint64_t hash = 0;
      const auto known = pairs[i].type_index() < kTVMFFIStaticObjectBegin
                             ? variables_.end()
                             : variables_.find(ObjectOf(pairs[i]));
      if (known != variables_.end()) {
        hash = known->second;
      } else {
        Known(pairs[i], &hash);
      }
      sorted.emplace_back(hash, pairs[i + 1]);
    }
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [hash, value] : sorted) {
      open->parts.emplace_back(static_cast<int64_t>(hash), kNone);
      open->parts.emplace_back(value, region);
    }
  }

  struct PlaceHash {
    size_t operator()(const std::pair<const Object*, Region>& place) const {
      return std::hash<const void*>()(place.first) * 3 + static_cast<size_t>(place.second);
    }
  };

  Region region_;
  bool skip_content_;
  std::vector<Open> open_;
  std::unordered_map<const Object*, uint64_t> variables_;
  std::unordered_map<std::pair<const Object*, Region>, uint64_t, PlaceHash> done_;
  std::vector<Any> kept_;
  std::vector<Note> notes_;
  int parts_ = 0;  // nesting depth of parts hashed by types' own functions
};

[[maybe_unused]] const bool registered = [] {
  reflection::GlobalDef().def(kHash, HashByStructure, "A hash of a value by its structure.");
  return true;
}();

}  // namespace

int64_t HashByStructure(const Any& value, bool map_free_vars, bool skip_tensor_content) {
  return static_cast<int64_t>(Hasher(map_free_vars, skip_tensor_content).Hash(value));
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
