// SPDX-License-Identifier: Apache-2.0
// Equality and hash of values by their structure, in which variables may have other names.
#include "structural.h"

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reflected.h"

namespace ffi = tvm::ffi;

using ffi::Any;

namespace {

// Which variables the place that is compared defines.
enum Region : int { kNone = 0, kPattern = 1, kSimple = 2 };

Region RegionOf(const TVMFFIFieldInfo& field, Region around) {
  if (ffi::Has(field, kTVMFFIFieldFlagBitMaskSEqHashDefPattern)) return kPattern;
  if (ffi::Has(field, kTVMFFIFieldFlagBitMaskSEqHashDefSimple)) return kSimple;
  return around;
}

// A variable whose definition is simple defines no others by its own fields.
Region RegionInVariable(Region around) { return around == kSimple ? kNone : around; }

TVMFFISEqHashKind KindOf(const char* name, int32_t type) {
  const TVMFFITypeInfo* info = ffi::InfoOf(type);
  const TVMFFISEqHashKind kind = info->metadata == nullptr
                                     ? kTVMFFISEqHashKindUnsupported
                                     : info->metadata->structural_eq_hash_kind;
  TVM_FFI_CHECK(kind != kTVMFFISEqHashKindUnsupported, TypeError)
      << name << ": expected types with a structural_eq_hash_kind, got "
      << ffi::TextOf(info->type_key);
  return kind;
}

// The bytes of a tensor on the host, in the order of its indices.
std::string ContentOf(const char* name, const ffi::Tensor& tensor) {
  TVM_FFI_CHECK(tensor.device().device_type == kDLCPU, ValueError)
      << name << ": expected tensors on the CPU, whose content can be read, got one on "
      << ffi::DLDeviceToString(tensor.device()) << "; skip_tensor_content leaves it out";
  const DLTensor& dl = *tensor.GetDLTensorPtr();
  const char* data = static_cast<const char*>(dl.data) + dl.byte_offset;
  if (tensor.IsContiguous()) return std::string(data, ffi::GetDataSize(dl));
  const size_t bits = static_cast<size_t>(dl.dtype.bits) * dl.dtype.lanes;
  TVM_FFI_CHECK(bits % 8 == 0, ValueError)
      << name << ": expected elements of whole bytes in a tensor that is not contiguous, got "
      << ffi::DLDataTypeToString(dl.dtype) << "; skip_tensor_content leaves them out";
  const size_t item = bits / 8;
  std::string content;
  std::vector<int64_t> at(static_cast<size_t>(dl.ndim));
  for (int64_t left = tensor.numel(); left > 0; --left) {
    int64_t place = 0;
    for (size_t i = 0; i < at.size(); ++i) place += at[i] * dl.strides[i];
    content.append(data + place * static_cast<int64_t>(item), item);
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < dl.shape[i]) break;
      at[i] = 0;
    }
  }
  return content;
}

bool IsLeaf(int32_t type) {
  return type < kTVMFFIStaticObjectBegin || type == kTVMFFIStr || type == kTVMFFIBytes ||
         type == kTVMFFIBigInt;
}

// A type's own function may keep what it was given to call, but not call it later.
struct InUse {
  InUse() : flag(std::make_shared<bool>(true)) {}
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;
  ~InUse() { *flag = false; }

  static void Check(const char* name, bool in_use) {
    TVM_FFI_CHECK(in_use, RuntimeError)
        << name << ": expected a call from the type's own function, got one after it returned";
  }

  std::shared_ptr<bool> flag;
};

// A step of a path, with the steps before it; as in AccessKind of tvm_ffi.access_path.
struct Step {
  enum Kind : int64_t { kAttribute, kItem, kPair, kNoAttribute, kNoItem, kNoPair };
  std::shared_ptr<const Step> before;
  Kind kind;
  Any key;

  // Paths are as long as the data are deep, so they do not free each other by recursion.
  ~Step() {
    std::shared_ptr<const Step> next = std::move(before);
    while (next != nullptr && next.use_count() == 1) {
      next = std::move(const_cast<Step*>(next.get())->before);
    }
  }
};
using Path = std::shared_ptr<const Step>;

Path Add(const Path& path, Step::Kind kind, Any key) {
  return Path(new Step{path, kind, std::move(key)});
}

// Kinds and keys by turns, from the root on.
ffi::Array<Any> StepsOf(Path path) {
  std::vector<Any> steps;
  for (; path != nullptr; path = path->before) {
    steps.push_back(path->key);
    steps.emplace_back(static_cast<int64_t>(path->kind));
  }
  return ffi::Array<Any>(steps.rbegin(), steps.rend());
}

// Goes through two values at once without calling itself, as they may be nested deep.
class Comparison {
 public:
  Comparison(const char* name, bool map_free_vars, bool skip_tensor_content, bool with_paths)
      : name_(name),
        region_(map_free_vars ? kPattern : kNone),
        skip_content_(skip_tensor_content),
        with_paths_(with_paths) {}

  bool Equal(const Any& a, const Any& b) { return Run({a, b, region_, nullptr, nullptr, false}); }

  // Where two values differ that are not equal.
  std::pair<Path, Path> Mismatch() const { return {left_, right_}; }

 private:
  struct Pair {
    Any a;
    Any b;
    Region region;
    Path left;
    Path right;
    bool missing;  // one of the two is not there
  };

  // What is in met_ or, if one stands for the other, in the maps of variables since a type's own
  // function compares parts.
  struct Note {
    const ffi::Object* a;
    const ffi::Object* b;
    Region region;
    bool stands_for;
  };

  // A part that a type's own function compares. What its comparison noted does not hold if it
  // fails or the two differ, and the function may go on to other parts all the same.
  bool RunPart(Pair part) {
    const size_t waiting = waiting_.size();
    const size_t noted = notes_.size();
    const bool found = found_;
    ++parts_;
    try {
      const bool equal = Run(std::move(part));
      if (!equal) Forget(noted);
      if (--parts_ == 0) notes_.clear();
      return equal;
    } catch (...) {
      --parts_;
      waiting_.resize(waiting);
      Forget(noted);
      found_ = found;
      throw;
    }
  }

  void Forget(size_t noted) {
    for (; notes_.size() > noted; notes_.pop_back()) {
      const Note& note = notes_.back();
      if (note.stands_for) {
        left_to_right_.erase(note.a);
        right_to_left_.erase(note.b);
      } else {
        met_.erase({note.a, note.b, note.region});
      }
    }
  }

  bool Run(Pair first) {
    const size_t base = waiting_.size();
    waiting_.push_back(std::move(first));
    while (waiting_.size() > base) {
      const Pair pair = std::move(waiting_.back());
      waiting_.pop_back();
      const size_t before = waiting_.size();
      if (!EqualOne(pair)) {
        if (!found_) {
          found_ = true;
          left_ = pair.left;
          right_ = pair.right;
        }
        waiting_.resize(base);
        return false;
      }
      std::reverse(waiting_.begin() + static_cast<std::ptrdiff_t>(before), waiting_.end());
    }
    return true;
  }

  Path Next(const Path& path, Step::Kind kind, const Any& key) const {
    return with_paths_ ? Add(path, kind, key) : nullptr;
  }

  void AddPart(const Pair& pair, const Any& a, const Any& b, Region region, Step::Kind kind,
               const Any& key) {
    waiting_.push_back(
        {a, b, region, Next(pair.left, kind, key), Next(pair.right, kind, key), false});
  }

  // What only one of the two has is found after the parts before it.
  void AddMissing(const Pair& pair, Step::Kind left, Step::Kind right, const Any& key,
                  const Any& right_key) {
    waiting_.push_back({Any(), Any(), kNone, Next(pair.left, left, key),
                        Next(pair.right, right, right_key), true});
  }
  void AddMissing(const Pair& pair, Step::Kind left, Step::Kind right, const Any& key) {
    AddMissing(pair, left, right, key, key);
  }

  bool EqualOne(const Pair& pair) {
    if (pair.missing) return false;
    const Any& a = pair.a;
    const Any& b = pair.b;
    const int32_t type = ffi::detail::KeyType(*ffi::detail::Raw(a));
    if (type != ffi::detail::KeyType(*ffi::detail::Raw(b))) return false;
    if (type == kTVMFFIFloat) {
      const double x = a.cast<double>();
      const double y = b.cast<double>();
      if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    }
    if (IsLeaf(type)) return ffi::AnyEqual()(a, b);
    if (type == kTVMFFIShape) {
      const auto x = a.cast<ffi::Shape>();
      const auto y = b.cast<ffi::Shape>();
      return std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    if (type == kTVMFFITensor) return EqualTensors(a, b);
    const ffi::Object* x = ffi::ObjectOf(a);
    const ffi::Object* y = ffi::ObjectOf(b);
    const bool is_container = ffi::IsSequence(type) || ffi::IsMapping(type);
    const TVMFFISEqHashKind kind = is_container ? kTVMFFISEqHashKindTreeNode : KindOf(name_, type);
    if (kind == kTVMFFISEqHashKindUniqueInstance) return x == y;
    if (kind == kTVMFFISEqHashKindConstTreeNode && x == y) return true;
    const bool is_variable = kind == kTVMFFISEqHashKindFreeVar;
    if (is_variable || kind == kTVMFFISEqHashKindDAGNode) {
      const auto known = left_to_right_.find(x);
      if (known != left_to_right_.end()) return known->second == y;
      if (right_to_left_.count(y) != 0) return false;
      // A variable that nothing defines stands for itself from here on.
      if (is_variable && pair.region == kNone && x != y) return false;
      left_to_right_[x] = y;
      right_to_left_[y] = x;
      if (parts_ != 0) notes_.push_back({x, y, pair.region, true});
      if (is_variable && pair.region == kNone) {
        kept_.push_back(a);
        return true;
      }
    } else if (!met_.insert({x, y, pair.region}).second) {
      return true;  // found where they were met
    } else if (parts_ != 0) {
      notes_.push_back({x, y, pair.region, false});
    }
    // They stay, so that no other objects get their addresses.
    kept_.push_back(a);
    kept_.push_back(b);
    if (ffi::IsSequence(type)) return AddElements(pair);
    if (ffi::IsMapping(type)) return AddPairs(pair);
    return AddFields(pair, is_variable ? RegionInVariable(pair.region) : pair.region);
  }

  bool EqualTensors(const Any& a, const Any& b) const {
    const auto x = a.cast<ffi::Tensor>();
    const auto y = b.cast<ffi::Tensor>();
    if (x.get() == y.get()) return true;
    const auto p = x.shape();
    const auto q = y.shape();
    if (!std::equal(p.begin(), p.end(), q.begin(), q.end()) || x.dtype() != y.dtype()) return false;
    return skip_content_ || ContentOf(name_, x) == ContentOf(name_, y);
  }

  bool AddElements(const Pair& pair) {
    const std::vector<Any> x = ffi::ElementsOf(pair.a);
    const std::vector<Any> y = ffi::ElementsOf(pair.b);
    const size_t common = std::min(x.size(), y.size());
    const auto key = [](size_t i) { return Any(static_cast<int64_t>(i)); };
    for (size_t i = 0; i < common; ++i) {
      AddPart(pair, x[i], y[i], pair.region, Step::kItem, key(i));
    }
    if (x.size() < y.size()) AddMissing(pair, Step::kNoItem, Step::kItem, key(common));
    if (x.size() > y.size()) AddMissing(pair, Step::kItem, Step::kNoItem, key(common));
    return true;
  }

  // The key of the other mapping that stands for a key of this one.
  template <typename Mapped>
  static Any Counterpart(const Any& key, const Mapped& to) {
    if (key.type_index() < kTVMFFIStaticObjectBegin) return key;
    const auto mapped = to.find(ffi::ObjectOf(key));
    if (mapped == to.end()) return key;
    return ffi::GetRef<ffi::ObjectRef>(const_cast<ffi::Object*>(mapped->second));
  }

  // Whether a key that stands for nothing is what another one stands for.
  template <typename Mapped>
  static bool IsTaken(const Any& key, const Mapped& to, const Mapped& from) {
    return key.type_index() >= kTVMFFIStaticObjectBegin && to.count(ffi::ObjectOf(key)) == 0 &&
           from.count(ffi::ObjectOf(key)) != 0;
  }

  bool AddPairs(const Pair& pair) {
    const auto* x = static_cast<const ffi::MapBaseObj*>(ffi::ObjectOf(pair.a));
    const auto* y = static_cast<const ffi::MapBaseObj*>(ffi::ObjectOf(pair.b));
    const std::vector<Any> pairs = ffi::PairsOf(pair.a);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      const Any key = Counterpart(pairs[i], left_to_right_);
      const auto found =
          IsTaken(pairs[i], left_to_right_, right_to_left_) ? y->end() : y->find(key);
      if (found == y->end()) {
        AddMissing(pair, Step::kPair, Step::kNoPair, pairs[i], key);
        return true;
      }
      waiting_.push_back({pairs[i + 1], found->second, pair.region,
                          Next(pair.left, Step::kPair, pairs[i]),
                          Next(pair.right, Step::kPair, key), false});
    }
    if (y->size() == x->size()) return true;
    const std::vector<Any> others = ffi::PairsOf(pair.b);
    for (size_t i = 0; i < others.size(); i += 2) {
      const Any key = Counterpart(others[i], right_to_left_);
      if (IsTaken(others[i], right_to_left_, left_to_right_) || x->count(key) == 0) {
        AddMissing(pair, Step::kNoPair, Step::kPair, key, others[i]);
        break;
      }
    }
    return true;
  }

  bool AddFields(const Pair& pair, Region region) {
    const int32_t type = pair.a.type_index();
    if (const auto own = ffi::TypeFunction(type, "__s_equal__")) {
      const ffi::CallBackDepth depth(name_);
      const InUse in_use;
      const auto equal = ffi::Function::FromTyped(
          [this, &pair, flag = in_use.flag](const Any& a, const Any& b, int part_region,
                                            const Any& field) {
            InUse::Check("ffi.StructuralEqual", *flag);
            const bool has_name =
                field.type_index() == kTVMFFISmallStr || field.type_index() == kTVMFFIStr;
            const auto next = [&](const Path& path) {
              return has_name ? Next(path, Step::kAttribute, field) : path;
            };
            return RunPart(
                {a, b, static_cast<Region>(part_region), next(pair.left), next(pair.right), false});
          });
      const bool found = found_;
      const bool result = (*own)(pair.a, pair.b, equal).cast<bool>();
      if (result) found_ = found;  // parts that differ did not count
      return result;
    }
    ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
      if (ffi::Has(*field, kTVMFFIFieldFlagBitMaskSEqHashIgnore)) return;
      AddPart(pair, ffi::ReadField(ffi::ObjectOf(pair.a), *field),
              ffi::ReadField(ffi::ObjectOf(pair.b), *field), RegionOf(*field, region),
              Step::kAttribute, ffi::String(ffi::TextOf(field->name)));
    });
    return true;
  }

  const char* name_;
  Region region_;
  bool skip_content_;
  bool with_paths_;
  std::vector<Pair> waiting_;
  // Variables, and objects whose sharing counts, that stand for each other.
  std::unordered_map<const ffi::Object*, const ffi::Object*> left_to_right_;
  std::unordered_map<const ffi::Object*, const ffi::Object*> right_to_left_;
  std::set<std::tuple<const ffi::Object*, const ffi::Object*, Region>> met_;
  std::vector<Any> kept_;
  std::vector<Note> notes_;
  int parts_ = 0;  // how many parts are open that types' own functions compare
  bool found_ = false;
  Path left_;
  Path right_;
};

constexpr const char* kHash = "ffi.StructuralHash";

uint64_t Mix(uint64_t hash, uint64_t next) {
  return hash ^ (next + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
}

// Goes through a value without calling itself. What is equal by structure has the same hash.
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

  // What is in variables_ or done_ since a type's own function hashes parts.
  struct Note {
    const ffi::Object* object;
    Region region;
    bool is_variable;
  };

  // A part that a type's own function hashes. If that fails, the function may go on all the same.
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

  void AddNote(const ffi::Object* object, Region region, bool is_variable) {
    if (parts_ != 0) notes_.push_back({object, region, is_variable});
  }

  uint64_t Run(const Any& root, Region region) {
    uint64_t hash = 0;
    if (Begin(root, region, &hash)) return hash;
    const size_t base = open_.size();
    while (true) {
      if (open_.back().next < open_.back().parts.size()) {
        const auto [part, part_region] = open_.back().parts[open_.back().next++];
        // A new object becomes the innermost one, and its hash follows when it is complete.
        if (Begin(part, part_region, &hash)) open_.back().hash = Mix(open_.back().hash, hash);
        continue;
      }
      const Open done = std::move(open_.back());
      open_.pop_back();
      hash = Mix(done.hash, done.parts.size());
      if (done.is_variable) {
        variables_[ffi::ObjectOf(done.value)] = hash;
      } else {
        done_[{ffi::ObjectOf(done.value), done.region}] = hash;
      }
      if (open_.size() < base) return hash;
      open_.back().hash = Mix(open_.back().hash, hash);
    }
  }

  // Whether the hash is known at once.
  bool Begin(const Any& value, Region region, uint64_t* hash) {
    const TVMFFIAny& any = *ffi::detail::Raw(value);
    const int32_t type = ffi::detail::KeyType(any);
    if (type == kTVMFFIFloat && std::isnan(any.v_float64)) {
      return Known(Any(std::nan("")), hash);
    }
    if (IsLeaf(type)) return Known(value, hash);
    const ffi::Object* object = ffi::ObjectOf(value);
    const bool is_container = ffi::IsSequence(type) || ffi::IsMapping(type) ||
                              type == kTVMFFIShape || type == kTVMFFITensor;
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
        // It stands for itself from here on.
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
      done_[{object, region}] = open.hash;  // until it is complete, for what contains itself
    }
    if (type == kTVMFFIShape) {
      for (int64_t dimension : value.cast<ffi::Shape>()) open.parts.emplace_back(dimension, kNone);
    } else if (type == kTVMFFITensor) {
      const auto tensor = value.cast<ffi::Tensor>();
      for (int64_t dimension : tensor.shape()) open.parts.emplace_back(dimension, kNone);
      open.parts.emplace_back(tensor.dtype(), kNone);
      if (!skip_content_) open.parts.emplace_back(ffi::Bytes(ContentOf(kHash, tensor)), kNone);
    } else if (ffi::IsSequence(type)) {
      for (const Any& element : ffi::ElementsOf(value)) open.parts.emplace_back(element, region);
    } else if (ffi::IsMapping(type)) {
      AddPairs(value, region, &open);
    } else if (const auto own = ffi::TypeFunction(type, "__s_hash__")) {
      const ffi::CallBackDepth depth(kHash);
      const InUse in_use;
      const auto part = ffi::Function::FromTyped(
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
      ffi::reflection::ForEachFieldInfo(ffi::InfoOf(type), [&](const TVMFFIFieldInfo* field) {
        if (ffi::Has(*field, kTVMFFIFieldFlagBitMaskSEqHashIgnore)) return;
        open.parts.emplace_back(ffi::ReadField(object, *field), RegionOf(*field, inside));
      });
    }
    open_.push_back(std::move(open));
    return false;
  }

  static bool Known(const Any& value, uint64_t* hash) {
    *hash = ffi::AnyHash()(value);
    return true;
  }

  // Values in the order of their keys' hashes, as the order of insertion does not count.
  void AddPairs(const Any& mapping, Region region, Open* open) const {
    std::vector<std::pair<uint64_t, Any>> sorted;
    const std::vector<Any> pairs = ffi::PairsOf(mapping);
    for (size_t i = 0; i < pairs.size(); i += 2) {
      uint64_t hash = 0;
      const auto known = pairs[i].type_index() < kTVMFFIStaticObjectBegin
                             ? variables_.end()
                             : variables_.find(ffi::ObjectOf(pairs[i]));
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
    size_t operator()(const std::pair<const ffi::Object*, Region>& place) const {
      return std::hash<const void*>()(place.first) * 3 + static_cast<size_t>(place.second);
    }
  };

  Region region_;
  bool skip_content_;
  std::vector<Open> open_;
  std::unordered_map<const ffi::Object*, uint64_t> variables_;
  std::unordered_map<std::pair<const ffi::Object*, Region>, uint64_t, PlaceHash> done_;
  std::vector<Any> kept_;
  std::vector<Note> notes_;
  int parts_ = 0;  // how many parts are open that types' own functions hash
};

// None, or for each value the steps to the first difference: kinds and keys by turns.
Any FirstMismatch(const Any& a, const Any& b, bool map_free_vars, bool skip_tensor_content) {
  Comparison comparison("ffi.GetFirstStructuralMismatch", map_free_vars, skip_tensor_content, true);
  if (comparison.Equal(a, b)) return Any();
  const auto [left, right] = comparison.Mismatch();
  return ffi::Array<Any>{StepsOf(left), StepsOf(right)};
}

[[maybe_unused]] const bool registered = [] {
  ffi::reflection::GlobalDef()
      .def("ffi.StructuralEqual", ffi::StructuralEqual,
           "Whether two values have the same structure.")
      .def(kHash, ffi::StructuralHash, "A hash of a value by its structure.")
      .def("ffi._FirstStructuralMismatchSteps", FirstMismatch,
           "Where two values first differ in structure.");
  return true;
}();

}  // namespace

bool ffi::StructuralEqual(const Any& a, const Any& b, bool map_free_vars,
                          bool skip_tensor_content) {
  return Comparison("ffi.StructuralEqual", map_free_vars, skip_tensor_content, false).Equal(a, b);
}

int64_t ffi::StructuralHash(const Any& value, bool map_free_vars, bool skip_tensor_content) {
  return static_cast<int64_t>(Hasher(map_free_vars, skip_tensor_content).Hash(value));
}
