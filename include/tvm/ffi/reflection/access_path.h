// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/reflection/access_path.h
 * \brief Paths from a value to a value inside it.
 */
#ifndef TVM_FFI_REFLECTION_ACCESS_PATH_H_
#define TVM_FFI_REFLECTION_ACCESS_PATH_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/string.h>

#include <cstdint>
#include <optional>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace reflection {

/*! \brief The target of a path step; a missing one exists only in the other compared value. */
enum class AccessKind : int32_t {
  /*! \brief A field of an object; the key is its name. */
  kAttr = 0,
  /*! \brief An element of an Array or a List; the key is its index, from 0. */
  kArrayItem = 1,
  /*! \brief A value of a Map or a Dict; the key is its key. */
  kMapItem = 2,
  /*! \brief A field that the object lacks. */
  kAttrMissing = 3,
  /*! \brief An element that the Array or List lacks. */
  kArrayItemMissing = 4,
  /*! \brief A value that the Map or Dict lacks. */
  kMapItemMissing = 5,
};

class AccessStep;

/*! \brief The object of an AccessStep. */
class AccessStepObj : public Object {
 public:
  /*! \brief The target of the step. */
  AccessKind kind = AccessKind::kAttr;
  /*! \brief The name of a field, an index or a key. */
  Any key;

  AccessStepObj() = default;
  /*! \brief Constructs a step of the given kind and key. */
  AccessStepObj(AccessKind kind, Any key) : kind(kind), key(std::move(key)) {}

  /*! \brief Whether both steps have the same kind and, by AnyEqual, the same key. */
  bool StepEqual(const AccessStep& other) const;

  /*! \brief Compared by contents. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.reflection.AccessStep", AccessStepObj, Object);
};

/*! \brief One step of an AccessPath. */
class AccessStep : public ObjectRef {
 public:
  /*! \brief Constructs a step of the given kind and key. */
  AccessStep(AccessKind kind, Any key)
      : ObjectRef(make_object<AccessStepObj>(kind, std::move(key))) {}

  /*! \brief A step to the field with the given name. */
  static AccessStep Attr(String field_name) {
    return AccessStep(AccessKind::kAttr, std::move(field_name));
  }
  /*! \brief A step to a missing field with the given name. */
  static AccessStep AttrMissing(String field_name) {
    return AccessStep(AccessKind::kAttrMissing, std::move(field_name));
  }
  /*! \brief A step to the element at the given index. */
  static AccessStep ArrayItem(int64_t index) { return AccessStep(AccessKind::kArrayItem, index); }
  /*! \brief A step to a missing element at the given index. */
  static AccessStep ArrayItemMissing(int64_t index) {
    return AccessStep(AccessKind::kArrayItemMissing, index);
  }
  /*! \brief A step to the value of the given key. */
  static AccessStep MapItem(Any key) { return AccessStep(AccessKind::kMapItem, std::move(key)); }
  /*! \brief A step to a missing value of the given key. */
  static AccessStep MapItemMissing(Any key = nullptr) {
    return AccessStep(AccessKind::kMapItemMissing, std::move(key));
  }

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessStep, ObjectRef, AccessStepObj);
};

inline bool AccessStepObj::StepEqual(const AccessStep& other) const {
  return kind == other->kind && AnyEqual()(key, other->key);
}

class AccessPath;

/*! \brief The object of an AccessPath: the last step, and the path before it. */
class AccessPathObj : public Object {
 public:
  /*! \brief The path without the last step; none for the root. */
  Optional<ObjectRef> parent;
  /*! \brief The last step; none for the root. */
  Optional<AccessStep> step;
  /*! \brief Number of steps. */
  int32_t depth = 0;

  AccessPathObj() = default;
  /*! \brief Constructs a path of `depth` steps. */
  AccessPathObj(Optional<ObjectRef> parent, Optional<AccessStep> step, int32_t depth)
      : parent(std::move(parent)), step(std::move(step)), depth(depth) {}

  /*! \brief The path without the last step; none for the root. */
  Optional<AccessPath> GetParent() const;
  /*! \brief Extends this path by one step. */
  AccessPath Extend(AccessStep step) const;
  /*! \brief Extends this path to the field with the given name. */
  AccessPath Attr(String field_name) const;
  /*! \brief Extends this path to a missing field with the given name. */
  AccessPath AttrMissing(String field_name) const;
  /*! \brief Extends this path to the element at the given index. */
  AccessPath ArrayItem(int64_t index) const;
  /*! \brief Extends this path to a missing element at the given index. */
  AccessPath ArrayItemMissing(int64_t index) const;
  /*! \brief Extends this path to the value of the given key. */
  AccessPath MapItem(Any key) const;
  /*! \brief Extends this path to a missing value of the given key. */
  AccessPath MapItemMissing(Any key) const;
  /*! \brief The steps, starting at the root. */
  Array<AccessStep> ToSteps() const;
  /*! \brief Whether both paths have the same steps. */
  bool PathEqual(const AccessPath& other) const;
  /*! \brief Whether the other path starts with the steps of this one. */
  bool IsPrefixOf(const AccessPath& other) const;

  /*! \brief Compared by contents. */
  static constexpr TVMFFISEqHashKind _type_s_eq_hash_kind = kTVMFFISEqHashKindConstTreeNode;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("ffi.reflection.AccessPath", AccessPathObj, Object);

 private:
  const AccessPathObj* Parent() const {
    return static_cast<const AccessPathObj*>(parent.has_value() ? (*parent).get() : nullptr);
  }
  // Compares two paths with the same number of steps.
  static bool Equal(const AccessPathObj* a, const AccessPathObj* b) {
    // Shared steps are equal.
    while (a != b && a->step.has_value()) {
      if (!a->step->StepEqual(*b->step)) return false;
      a = a->Parent();
      b = b->Parent();
    }
    return true;
  }
};

/*!
 * \brief The steps from a value to a value inside it: `AccessPath::Root()->Attr("rows")`.
 *
 * A path is immutable; paths extended from the same path share its steps.
 */
class AccessPath : public ObjectRef {
 public:
  // First, because functions below use its definitions.
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(AccessPath, ObjectRef, AccessPathObj);

  /*! \brief Returns the path without steps. */
  static AccessPath Root() { return AccessPath(make_object<AccessPathObj>()); }
  /*! \brief Returns the path with the steps from `begin` to `end`. */
  template <typename Iterator>
  static AccessPath FromSteps(Iterator begin, Iterator end) {
    AccessPath path = Root();
    for (; begin != end; ++begin) path = path->Extend(*begin);
    return path;
  }
  /*! \brief Returns the path with the given steps. */
  static AccessPath FromSteps(const Array<AccessStep>& steps) {
    return FromSteps(steps.begin(), steps.end());
  }
};

/*! \brief Two paths, one into each of two compared values. */
using AccessPathPair = Tuple<AccessPath, AccessPath>;

inline Optional<AccessPath> AccessPathObj::GetParent() const {
  if (!parent.has_value()) return std::nullopt;
  return GetRef<AccessPath>(Parent());
}
inline AccessPath AccessPathObj::Extend(AccessStep step) const {
  TVM_FFI_CHECK(depth < INT32_MAX, ValueError)
      << "AccessPath::Extend: expected a path of fewer steps, got one of " << depth;
  return AccessPath(
      make_object<AccessPathObj>(GetRef<ObjectRef>(this), std::move(step), depth + 1));
}
inline AccessPath AccessPathObj::Attr(String field_name) const {
  return Extend(AccessStep::Attr(std::move(field_name)));
}
inline AccessPath AccessPathObj::AttrMissing(String field_name) const {
  return Extend(AccessStep::AttrMissing(std::move(field_name)));
}
inline AccessPath AccessPathObj::ArrayItem(int64_t index) const {
  return Extend(AccessStep::ArrayItem(index));
}
inline AccessPath AccessPathObj::ArrayItemMissing(int64_t index) const {
  return Extend(AccessStep::ArrayItemMissing(index));
}
inline AccessPath AccessPathObj::MapItem(Any key) const {
  return Extend(AccessStep::MapItem(std::move(key)));
}
inline AccessPath AccessPathObj::MapItemMissing(Any key) const {
  return Extend(AccessStep::MapItemMissing(std::move(key)));
}
inline Array<AccessStep> AccessPathObj::ToSteps() const {
  Array<AccessStep> reversed, steps;
  for (const AccessPathObj* path = this; path->step.has_value(); path = path->Parent()) {
    reversed.push_back(*path->step);
  }
  steps.reserve(static_cast<int64_t>(reversed.size()));
  for (int64_t i = static_cast<int64_t>(reversed.size()) - 1; i >= 0; --i) {
    steps.push_back(reversed[i]);
  }
  return steps;
}
inline bool AccessPathObj::PathEqual(const AccessPath& other) const {
  return depth == other->depth && Equal(this, other.get());
}
inline bool AccessPathObj::IsPrefixOf(const AccessPath& other) const {
  const AccessPathObj* path = other.get();
  while (path->depth > depth) path = path->Parent();
  return path->depth == depth && Equal(this, path);
}

}  // namespace reflection
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_REFLECTION_ACCESS_PATH_H_
