// SPDX-License-Identifier: Apache-2.0
// Structural equality of values, up to the renaming of variables.
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/reflection/access_path.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reflected.h"
#include "structural.h"
#include "structural_parts.h"

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace refl = reflection;

namespace {

// A step of a path, with the preceding steps; kinds as in AccessKind of tvm_ffi.access_path.
struct Step {
  enum Kind : int64_t { kAttribute, kItem, kPair, kNoAttribute, kNoItem, kNoPair };
  std::shared_ptr<const Step> before;
  Kind kind;
  Any key;

  // Paths are as long as the data is deep, so they do not free each other recursively.
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

refl::AccessPath PathOf(const Path& path) {
  std::vector<const Step*> steps;
  for (const Step* step = path.get(); step != nullptr; step = step->before.get()) {
    steps.push_back(step);
  }
  refl::AccessPath made = refl::AccessPath::Root();
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    made =
        made->Extend(refl::AccessStep(static_cast<refl::AccessKind>((*step)->kind), (*step)->key));
  }
  return made;
}

// Traverses two values in parallel without recursion, as they may be deeply nested.
class Comparison {
 public:
  Comparison(const char* name, bool map_free_vars, bool skip_tensor_content, bool with_paths)
      : name_(name),
        region_(map_free_vars ? kPattern : kNone),
        skip_content_(skip_tensor_content),
        with_paths_(with_paths) {}

  bool Equal(const Any& a, const Any& b) { return Run({a, b, region_, nullptr, nullptr, false}); }

  // The paths to the first difference of two unequal values.
  std::pair<Path, Path> Mismatch() const { return {left_, right_}; }

 private:
  struct Pair {
    Any a;
    Any b;
    Region region;
    Path left;
    Path right;
    bool missing;  // one of the two does not exist
  };

  // An entry added to met_ or, if one object stands for the other, to the variable maps while a
  // type's own function compares parts.
  struct Note {
    const Object* a;
    const Object* b;
    Region region;
    bool stands_for;
  };

  // Compares a part for a type's own function. If this throws or the parts differ, its notes are
  // invalid, and the function may still go on to other parts.
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

  // A part that only one of the two has is reported after the parts before it.
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
    const int32_t type = detail::KeyType(*detail::Raw(a));
    if (type != detail::KeyType(*detail::Raw(b))) return false;
    if (type == kTVMFFIFloat) {
      const double x = a.cast<double>();
      const double y = b.cast<double>();
      if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    }
    if (IsLeaf(type)) return AnyEqual()(a, b);
    if (type == kTVMFFIShape) {
      const auto x = a.cast<Shape>();
      const auto y = b.cast<Shape>();
      return std::equal(x.begin(), x.end(), y.begin(), y.end());
    }
    if (type == kTVMFFITensor) return EqualTensors(a, b);
    const Object* x = ObjectOf(a);
    const Object* y = ObjectOf(b);
    const bool is_container = IsSequence(type) || IsMapping(type);
    const TVMFFISEqHashKind kind = is_container ? kTVMFFISEqHashKindTreeNode : KindOf(name_, type);
    if (kind == kTVMFFISEqHashKindUniqueInstance) return x == y;
    if (kind == kTVMFFISEqHashKindConstTreeNode && x == y) return true;
    const bool is_variable = kind == kTVMFFISEqHashKindFreeVar;
    if (is_variable || kind == kTVMFFISEqHashKindDAGNode) {
      const auto known = left_to_right_.find(x);
      if (known != left_to_right_.end()) return known->second == y;
      if (right_to_left_.count(y) != 0) return false;
      // A variable without a definition matches only itself from here on.
      if (is_variable && pair.region == kNone && x != y) return false;
      left_to_right_[x] = y;
      right_to_left_[y] = x;
      if (parts_ != 0) notes_.push_back({x, y, pair.region, true});
      if (is_variable && pair.region == kNone) {
        kept_.push_back(a);
        return true;
      }
    } else if (!met_.insert({x, y, pair.region}).second) {
      return true;  // any difference is found at the first visit
    } else if (parts_ != 0) {
      notes_.push_back({x, y, pair.region, false});
    }
    // Keep them alive, so that no other objects get their addresses.
    kept_.push_back(a);
    kept_.push_back(b);
    if (IsSequence(type)) return AddElements(pair);
    if (IsMapping(type)) return AddPairs(pair);
    return AddFields(pair, is_variable ? RegionInVariable(pair.region) : pair.region);
  }

  bool EqualTensors(const Any& a, const Any& b) const {
    const auto x = a.cast<Tensor>();
    const auto y = b.cast<Tensor>();
    if (x.get() == y.get()) return true;
    const auto p = x.shape();
    const auto q = y.shape();
    if (!std::equal(p.begin(), p.end(), q.begin(), q.end()) || x.dtype() != y.dtype()) return false;
    return skip_content_ || ContentOf(name_, x) == ContentOf(name_, y);
  }

  bool AddElements(const Pair& pair) {
    const std::vector<Any> x = ElementsOf(pair.a);
    const std::vector<Any> y = ElementsOf(pair.b);
    const size_t common = std::min(x.size(), y.size());
    const auto key = [](size_t i) { return Any(static_cast<int64_t>(i)); };
    for (size_t i = 0; i < common; ++i) {
      AddPart(pair, x[i], y[i], pair.region, Step::kItem, key(i));
    }
    if (x.size() < y.size()) AddMissing(pair, Step::kNoItem, Step::kItem, key(common));
    if (x.size() > y.size()) AddMissing(pair, Step::kItem, Step::kNoItem, key(common));
    return true;
  }

  // The key in the other mapping that corresponds to a key of this one.
  template <typename Mapped>
  static Any Counterpart(const Any& key, const Mapped& to) {
    if (key.type_index() < kTVMFFIStaticObjectBegin) return key;
    const auto mapped = to.find(ObjectOf(key));
    if (mapped == to.end()) return key;
    return GetRef<ObjectRef>(const_cast<Object*>(mapped->second));
  }

  // Whether a key without a counterpart is itself the counterpart of another key.
  template <typename Mapped>
  static bool IsTaken(const Any& key, const Mapped& to, const Mapped& from) {
    return key.type_index() >= kTVMFFIStaticObjectBegin && to.count(ObjectOf(key)) == 0 &&
           from.count(ObjectOf(key)) != 0;
  }

  bool AddPairs(const Pair& pair) {
    const auto* x = static_cast<const MapBaseObj*>(ObjectOf(pair.a));
    const auto* y = static_cast<const MapBaseObj*>(ObjectOf(pair.b));
    const std::vector<Any> pairs = PairsOf(pair.a);
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
    const std::vector<Any> others = PairsOf(pair.b);
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
    if (const auto own = TypeFunction(type, "__s_equal__")) {
      const CallBackDepth depth(name_);
      const InUse in_use;
      const auto equal =
          Function::FromTyped([this, &pair, flag = in_use.flag](const Any& a, const Any& b,
                                                                int part_region, const Any& field) {
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
      if (result) found_ = found;  // differing parts did not matter
      return result;
    }
    reflection::ForEachFieldInfo(InfoOf(type), [&](const TVMFFIFieldInfo* field) {
      if (Has(*field, kTVMFFIFieldFlagBitMaskSEqHashIgnore)) return;
      AddPart(pair, ReadField(ObjectOf(pair.a), *field), ReadField(ObjectOf(pair.b), *field),
              RegionOf(*field, region), Step::kAttribute, String(TextOf(field->name)));
    });
    return true;
  }

  const char* name_;
  Region region_;
  bool skip_content_;
  bool with_paths_;
  std::vector<Pair> waiting_;
  // Variables, and objects whose sharing matters, that stand for each other.
  std::unordered_map<const Object*, const Object*> left_to_right_;
  std::unordered_map<const Object*, const Object*> right_to_left_;
  std::set<std::tuple<const Object*, const Object*, Region>> met_;
  std::vector<Any> kept_;
  std::vector<Note> notes_;
  int parts_ = 0;  // nesting depth of parts compared by types' own functions
  bool found_ = false;
  Path left_;
  Path right_;
};

// The paths to the first difference; nullopt for equal values.
std::optional<std::pair<Path, Path>> FirstMismatch(const Any& a, const Any& b, bool map_free_vars,
                                                   bool skip_tensor_content) {
  Comparison comparison("ffi.GetFirstStructuralMismatch", map_free_vars, skip_tensor_content, true);
  if (comparison.Equal(a, b)) return std::nullopt;
  return comparison.Mismatch();
}

// None for equal values.
Optional<refl::AccessPathPair> MismatchPaths(const Any& a, const Any& b, bool map_free_vars,
                                             bool skip_tensor_content) {
  const auto found = FirstMismatch(a, b, map_free_vars, skip_tensor_content);
  if (!found.has_value()) return std::nullopt;
  return refl::AccessPathPair(PathOf(found->first), PathOf(found->second));
}

[[maybe_unused]] const bool registered = [] {
  refl::GlobalDef()
      .def("ffi.StructuralEqual", EqualByStructure, "Whether two values have the same structure.")
      .def("ffi.GetFirstStructuralMismatch", MismatchPaths,
           "The paths to the first difference of two values in structure; None for equal values.");
  return true;
}();

}  // namespace

bool EqualByStructure(const Any& a, const Any& b, bool map_free_vars, bool skip_tensor_content) {
  return Comparison("ffi.StructuralEqual", map_free_vars, skip_tensor_content, false).Equal(a, b);
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm
