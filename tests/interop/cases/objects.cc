// SPDX-License-Identifier: Apache-2.0
// Cases: object types of the libraries' own. Every library that is built from this file declares
// the same types, and the runtime gives each type one index.
#include <tvm/ffi/function.h>
#include <tvm/ffi/object.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "case.h"

namespace ffi = tvm::ffi;

namespace {

using ffi::Any;
using ffi::Function;
using ffi::ObjectPtr;
using ffi::ObjectRef;
using ffi::String;

int64_t destroyed = 0;  // how many nodes this library's code has destroyed

class BaseObj : public ffi::Object {
 public:
  int64_t number = 0;

  static constexpr uint32_t _type_child_slots = 4;
  TVM_FFI_DECLARE_OBJECT_INFO("interop.Base", BaseObj, ffi::Object);
};

class NodeObj : public BaseObj {
 public:
  String name;
  ObjectRef next;

  NodeObj(int64_t n, String text, ObjectRef after) : name(std::move(text)), next(std::move(after)) {
    number = n;
  }
  ~NodeObj() { ++destroyed; }
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Node", NodeObj, BaseObj);
};

class OtherObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("interop.Other", OtherObj, ffi::Object);
};

class Base : public ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Base, ObjectRef, BaseObj);
};

class Node : public Base {
 public:
  Node(int64_t number, String name, ObjectRef next)
      : Base(ffi::make_object<NodeObj>(number, std::move(name), std::move(next))) {}
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Node, Base, NodeObj);
};

// A list of three nodes.
Node MakeNode(int64_t i) {
  return Node(i, "first",
              Node(i + 1, "a second, whose name is long", Node(i + 2, "", ObjectRef())));
}
void CheckNode(int64_t i, const Any& value) {
  EXPECT(value.type_index() == NodeObj::RuntimeTypeIndex());
  EXPECT(value.GetTypeKey() == "interop.Node");
  const Node first = value.cast<Node>();
  EXPECT(first->number == i);
  EXPECT(first->name == "first");
  const Node second = Any(first->next).cast<Node>();
  EXPECT(second->name == "a second, whose name is long");
  const Node third = Any(second->next).cast<Node>();
  EXPECT(third->number == i + 2);
  EXPECT(!third->next.defined());
}

// A handle of a base class takes it, a handle of another class does not.
Node MakeDerived(int64_t i) { return MakeNode(i); }
void CheckDerived(int64_t i, const Any& value) {
  EXPECT(value.cast<Base>()->number == i);
  EXPECT(value.as<Base>().has_value());
  EXPECT(value.cast<ObjectRef>()->IsInstance<BaseObj>());
  EXPECT(!value.cast<ObjectRef>()->IsInstance<OtherObj>());
}
Any MakeNull(int64_t) { return Any(Node()); }
void CheckNull(int64_t, const Any& value) {
  EXPECT(value == nullptr);
  EXPECT(!value.cast<Node>().defined());
}

// Both libraries know the type by one index, its key and its ancestors.
int64_t MakeIndex(int64_t i) {
  return i == 0 ? BaseObj::RuntimeTypeIndex()
                : (i == 1 ? NodeObj::RuntimeTypeIndex() : OtherObj::RuntimeTypeIndex());
}
void CheckIndex(int64_t i, const Any& value) {
  EXPECT(value.cast<int64_t>() == MakeIndex(i));
  const char* const keys[] = {"interop.Base", "interop.Node", "interop.Other"};
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(static_cast<int32_t>(value.cast<int64_t>()));
  EXPECT(std::string(info->type_key.data, info->type_key.size) == keys[i]);
  EXPECT(info->type_depth == (i == 1 ? 2 : 1));
  EXPECT(i != 1 || info->type_ancestors[1]->type_index == BaseObj::RuntimeTypeIndex());
}

// What the checker writes into an object of the maker's is there for all; the last handle frees
// it by the maker's code.
Function MakeLifetime(int64_t) {
  return Function::FromTyped([](bool count) -> Any {
    if (count) return destroyed;
    return Node(1, "short-lived", ObjectRef());
  });
}
void CheckLifetime(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  const auto before = function(true).cast<int64_t>();
  Node node = function(false).cast<Node>();
  Node other = node;
  node->number = 77;
  node->name = "a name that this library wrote";
  node->next = Node(5, "made by the checker", ObjectRef());
  EXPECT(other->number == 77);
  EXPECT(other.use_count() == 2);
  EXPECT(other.same_as(node) && !other.unique());
  node = Node();
  EXPECT(other.unique());
  EXPECT(function(true).cast<int64_t>() == before);
  // The checker's own node goes with it, so that the maker destroys two if they are one library.
  const int64_t mine = destroyed;
  const int64_t by_maker = mine == before ? 2 : 1;
  other = Node();
  EXPECT(function(true).cast<int64_t>() == before + by_maker);
  EXPECT(destroyed == mine + by_maker);
}

// Weak references do not keep an object, and know when it is gone.
Function MakeWeak(int64_t) { return MakeLifetime(0); }
void CheckWeak(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  const auto before = function(true).cast<int64_t>();
  Node node = function(false).cast<Node>();
  ffi::WeakObjectPtr<NodeObj> weak(ffi::GetObjectPtr<NodeObj>(node.get()));
  EXPECT(!weak.expired());
  EXPECT(weak.lock()->name == "short-lived");
  EXPECT(node.use_count() == 1);
  node = Node();
  EXPECT(weak.expired());
  EXPECT(weak.lock() == nullptr);
  EXPECT(function(true).cast<int64_t>() == before + 1);
}

// Objects from an allocator that the maker set; it is the process's for that time.
int64_t allocated = 0;
int64_t deallocated = 0;
void Free(void* body) {
  ++deallocated;
  std::free(
      static_cast<void**>(static_cast<void*>(static_cast<TVMFFIObjectAllocHeader*>(body) - 1))[-1]);
}
void* Allocate(size_t size, size_t, int32_t, void*) {
  ++allocated;
  // The start of the block, the header, the body.
  auto* block = static_cast<char*>(std::malloc(size + 64));
  char* body = block + 64;
  body -= reinterpret_cast<uintptr_t>(body) % 16;
  auto* header = static_cast<TVMFFIObjectAllocHeader*>(static_cast<void*>(body)) - 1;
  header->delete_space = Free;
  static_cast<void**>(static_cast<void*>(header))[-1] = block;
  return body;
}
TVMFFICustomAllocator allocator = {Allocate, nullptr};

Function MakeAllocator(int64_t) {
  return Function::FromTyped([](String what) -> Any {
    if (what == "set") TVM_FFI_CHECK_SAFE_CALL(TVMFFISetCustomAllocator(&allocator));
    if (what == "reset") TVM_FFI_CHECK_SAFE_CALL(TVMFFISetCustomAllocator(nullptr));
    if (what == "make") return Node(3, "made by the maker", ObjectRef());
    return allocated - deallocated;
  });
}
void CheckAllocator(int64_t, const Any& value) {
  const auto function = value.cast<Function>();
  const auto before = function("living").cast<int64_t>();
  function("set");
  Node node = function("make").cast<Node>();
  function("reset");
  EXPECT(node->number == 3);
  EXPECT(function("living").cast<int64_t>() > before);
  node = Node();
  EXPECT(function("living").cast<int64_t>() == before);
}

}  // namespace

INTEROP_CASE(Node, 2, "object of a type of the libraries' own, with fields");
INTEROP_CASE(Derived, 1, "object taken as its base class");
INTEROP_CASE(Null, 1, "null handle of an object type");
INTEROP_CASE(Index, 3, "index, key and ancestors of a dynamic type");
INTEROP_CASE(Lifetime, 1, "object that both libraries hold and change, freed by its maker");
INTEROP_CASE(Weak, 1, "weak reference");
INTEROP_CASE(Allocator, 1, "objects from an allocator that a library sets");
