// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// object.h: reference counts, weak pointers, the object allocator, opaque objects, casts.
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <vector>

#include "expect.h"

namespace ffi = tvm::ffi;

// A library's own types compile without warnings in their own namespace.
namespace test_object {

class PairObj : public ffi::Object {
 public:
  int64_t first = 1;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_object.Pair", PairObj, ffi::Object)
};
class Pair : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Pair, ffi::ObjectRef, PairObj);
};
struct Holder {
  Pair pair;
};

}  // namespace test_object

namespace {

// Registers a type with a fixed index.
int32_t RegisterType(const char* key, int32_t parent, int32_t depth, int32_t fixed) {
  const TVMFFIByteArray name{key, std::string_view(key).size()};
  return TVMFFITypeGetOrAllocIndex(&name, fixed, depth, 0, 1, parent);
}

// Records its strong reference count during destruction, after one or several owners.
class EndingObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_object.Ending", EndingObj, ffi::Object)

  explicit EndingObj(std::vector<int>* counts) : counts_(counts) {}
  ~EndingObj() { counts_->push_back(use_count()); }

 private:
  std::vector<int>* counts_;
};

int living = 0;

class AnimalObj : public ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO("test_object.Animal", AnimalObj, ffi::Object)

  AnimalObj() { ++living; }
  ~AnimalObj() { --living; }
};

class CatObj : public AnimalObj {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test_object.Cat", CatObj, AnimalObj)
};

class FixedObj : public ffi::Object {
 public:
  static constexpr int32_t _type_index = 100;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("test_object.Fixed", FixedObj, ffi::Object)
};
class FixedChildObj : public FixedObj {
 public:
  static constexpr int32_t _type_index = 101;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC("test_object.FixedChild", FixedChildObj, FixedObj)
};
const bool fixed_registered = RegisterType("test_object.Fixed", kTVMFFIObject, 1,
                                           FixedObj::_type_index) > 0 &&
                              RegisterType("test_object.FixedChild", FixedObj::_type_index, 2,
                                           FixedChildObj::_type_index) > 0;

class Animal : public ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Animal, ffi::ObjectRef, AnimalObj);
};

// While it lives, objects come from an allocator that counts and records its last request.
class CountingAllocator {
 public:
  CountingAllocator() {
    TVMFFISetCustomAllocator(&allocator_);
    allocated = freed = 0;
  }
  ~CountingAllocator() { TVMFFISetCustomAllocator(nullptr); }

  static inline int allocated, freed;
  static inline size_t size, alignment;
  static inline int32_t type_index;
  static inline void* context;

 private:
  static void* Allocate(size_t wanted, size_t wanted_alignment, int32_t type, void* given) {
    ++allocated;
    size = wanted;
    alignment = wanted_alignment;
    type_index = type;
    context = given;
    auto* header = static_cast<TVMFFIObjectAllocHeader*>(
        std::malloc(sizeof(TVMFFIObjectAllocHeader) + wanted));
    header->delete_space = [](void* body) {
      ++freed;
      std::free(static_cast<TVMFFIObjectAllocHeader*>(body) - 1);
    };
    return header + 1;
  }

  TVMFFICustomAllocator allocator_{Allocate, this};
};

}  // namespace

// Every owner counts once, and the last one destroys the object.
void strong_counts() {
  living = 0;
  ffi::ObjectPtr<CatObj> first = ffi::make_object<CatObj>();
  EXPECT(first.unique());
  {
    ffi::ObjectPtr<AnimalObj> copy = first;
    EXPECT_EQ(first.use_count(), 2);
    ffi::ObjectPtr<AnimalObj> moved = std::move(copy);
    EXPECT_EQ(first.use_count(), 2);
    EXPECT(copy == nullptr);  // NOLINT(bugprone-use-after-move)
    Animal handle = ffi::GetRef<Animal>(first.get());
    EXPECT_EQ(handle.use_count(), 3);
    ffi::Any value = handle;
    EXPECT_EQ(first.use_count(), 4);
    moved = nullptr;
    EXPECT_EQ(first.use_count(), 3);
  }
  EXPECT(first.unique());
  auto& self = first;
  first = self;
  EXPECT_EQ(living, 1);
  first.reset();
  EXPECT_EQ(living, 0);
  EXPECT_EQ(first.use_count(), 0);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_strong_counts, strong_counts);

// An object has no strong reference during destruction, however its last owner was released.
void counts_at_the_end() {
  std::vector<int> counts;
  ffi::make_object<EndingObj>(&counts);
  {
    ffi::ObjectPtr<EndingObj> owner = ffi::make_object<EndingObj>(&counts);
    const ffi::WeakObjectPtr<EndingObj> watcher = owner;
    owner = nullptr;
    EXPECT(watcher.lock() == nullptr);
  }
  {
    ffi::Any first(ffi::make_object<EndingObj>(&counts));
    ffi::Any second = first;
    first.reset();
    second.reset();
  }
  EXPECT(counts == (std::vector<int>{0, 0, 0}));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_counts_at_the_end, counts_at_the_end);

// When many threads release their references at once, one destroys the object, after all accesses.
void many_threads_drop_at_once() {
  for (int round = 0; round < 200; ++round) {
    std::vector<int> counts;
    ffi::ObjectPtr<EndingObj> first = ffi::make_object<EndingObj>(&counts);
    std::vector<ffi::ObjectPtr<EndingObj>> shares(4, first);
    first = nullptr;
    std::vector<std::thread> threads;
    for (auto& share : shares) threads.emplace_back([&share] { share = nullptr; });
    for (std::thread& thread : threads) thread.join();
    EXPECT(counts == (std::vector<int>{0}));
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_many_threads_drop_at_once, many_threads_drop_at_once);

// A declared type gets an index once, under its parent.
void declared_types() {
  const int32_t index = CatObj::RuntimeTypeIndex();
  EXPECT(index >= int32_t{kTVMFFIDynObjectBegin});
  EXPECT_EQ(CatObj::RuntimeTypeIndex(), index);
  EXPECT_EQ(ffi::make_object<CatObj>()->type_index(), index);
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  EXPECT_EQ(info->type_depth, 2);
  EXPECT_EQ(info->type_ancestors[1]->type_index, AnimalObj::RuntimeTypeIndex());
  EXPECT_EQ(std::string_view(info->type_key.data, info->type_key.size), "test_object.Cat");
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_declared_types, declared_types);

// The C functions count too; NULL is rejected by IncRef and ignored by DecRef.
void counts_by_c_functions() {
  ffi::ObjectPtr<AnimalObj> animal = ffi::make_object<AnimalObj>();
  TVMFFIObject* head = ffi::ObjectUnsafe::Header(animal.get());
  EXPECT_EQ(TVMFFIObjectIncRef(head), 0);
  EXPECT_EQ(animal.use_count(), 2);
  EXPECT_EQ(TVMFFIObjectDecRef(head), 0);
  EXPECT_EQ(animal.use_count(), 1);
  EXPECT_EQ(TVMFFIObjectDecRef(nullptr), 0);
  EXPECT_THROWS("ValueError: TVMFFIObjectIncRef: expected an object, got NULL",
                TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectIncRef(nullptr)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_counts_by_c_functions, counts_by_c_functions);

// A weak pointer keeps the memory alive but not the contents.
void weak_pointers() {
  living = 0;
  CountingAllocator allocator;
  ffi::ObjectPtr<AnimalObj> strong = ffi::make_object<AnimalObj>();
  ffi::WeakObjectPtr<AnimalObj> weak = strong;
  ffi::WeakObjectPtr<AnimalObj> other = weak;
  EXPECT(strong.unique());
  EXPECT(!weak.expired());
  EXPECT(weak.lock() == strong);
  strong.reset();
  EXPECT_EQ(living, 0);
  EXPECT(weak.expired());
  EXPECT(weak.lock() == nullptr);
  EXPECT_EQ(allocator.freed, 0);
  weak.reset();
  EXPECT_EQ(allocator.freed, 0);
  other = ffi::WeakObjectPtr<AnimalObj>();
  EXPECT_EQ(allocator.freed, 1);
  EXPECT(ffi::WeakObjectPtr<AnimalObj>().expired());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_weak_pointers, weak_pointers);

namespace {

std::atomic<int> destroyed{0};

class FlaggedObj : public ffi::Object {
 public:
  ~FlaggedObj() {
    alive = false;
    ++destroyed;
  }
  std::atomic<bool> alive{true};
};

}  // namespace

// While threads lock a weak pointer and the last owner goes, each gets a live object or none.
void weak_lock_races_with_the_last_owner() {
  constexpr int kRounds = 300;
  destroyed = 0;
  std::atomic<int> dead_seen{0};
  for (int round = 0; round < kRounds; ++round) {
    ffi::ObjectPtr<FlaggedObj> strong = ffi::make_object<FlaggedObj>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([weak = ffi::WeakObjectPtr<FlaggedObj>(strong), &dead_seen] {
        while (ffi::ObjectPtr<FlaggedObj> locked = weak.lock()) {
          if (!locked->alive) ++dead_seen;
        }
      });
    }
    strong.reset();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(dead_seen.load(), 0);
  EXPECT_EQ(destroyed.load(), kRounds);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_weak_lock_races_with_the_last_owner,
                              weak_lock_races_with_the_last_owner);

// Objects of this library and of the runtime come from the custom allocator while it is set.
void custom_allocator() {
  {
    CountingAllocator allocator;
    ffi::ObjectPtr<CatObj> cat = ffi::make_object<CatObj>();
    EXPECT_EQ(allocator.size, sizeof(CatObj));
    EXPECT_EQ(allocator.alignment, alignof(CatObj));
    EXPECT_EQ(allocator.type_index, CatObj::RuntimeTypeIndex());
    EXPECT_EQ(allocator.context, static_cast<void*>(&allocator));
    ffi::String text("longer than seven bytes");
    EXPECT_EQ(allocator.type_index, int32_t{kTVMFFIStr});
    EXPECT_EQ(allocator.allocated, 2);
    EXPECT_EQ(allocator.freed, 0);
  }
  EXPECT_EQ(CountingAllocator::freed, 2);
  ffi::make_object<CatObj>();
  EXPECT_EQ(CountingAllocator::allocated, 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_custom_allocator, custom_allocator);

// Memory is returned to the allocator that it came from, even if another one is set by then.
void allocator_that_changes() {
  ffi::ObjectPtr<CatObj> before = ffi::make_object<CatObj>();
  ffi::ObjectPtr<CatObj> meanwhile;
  {
    CountingAllocator allocator;
    before.reset();
    EXPECT_EQ(allocator.freed, 0);
    meanwhile = ffi::make_object<CatObj>();
  }
  meanwhile.reset();
  EXPECT_EQ(CountingAllocator::freed, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocator_that_changes, allocator_that_changes);

namespace {

struct alignas(256) WideObj : public ffi::Object {
  char content[300];
};

struct ThrowingObj : public ffi::Object {
  ThrowingObj() { throw std::runtime_error("no"); }
};

}  // namespace

// The built-in allocator honours any alignment.
void wide_alignment() {
  std::vector<ffi::ObjectPtr<WideObj>> kept;
  for (int i = 0; i < 8; ++i) {
    kept.push_back(ffi::make_object<WideObj>());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(kept.back().get()) % 256, 0u);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_wide_alignment, wide_alignment);

// An object is aligned even if the allocator does not align, and returns all its memory.
void wide_alignment_of_any_allocator() {
  CountingAllocator allocator;
  ffi::WeakObjectPtr<WideObj> weak;
  {
    std::vector<ffi::ObjectPtr<WideObj>> kept;
    for (int i = 0; i < 8; ++i) {
      kept.push_back(ffi::make_object<WideObj>());
      EXPECT_EQ(reinterpret_cast<uintptr_t>(kept.back().get()) % 256, 0u);
      std::memset(kept.back()->content, i, sizeof(kept.back()->content));
    }
    weak = kept[0];
  }
  EXPECT(weak.expired());
  EXPECT_EQ(allocator.freed, allocator.allocated - 1);
  weak.reset();
  EXPECT_EQ(allocator.freed, allocator.allocated);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_wide_alignment_of_any_allocator,
                              wide_alignment_of_any_allocator);

// The memory of an object whose constructor throws is returned.
void throwing_constructor() {
  CountingAllocator allocator;
  bool thrown = false;
  try {
    ffi::make_object<ThrowingObj>();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  EXPECT(thrown);
  EXPECT_EQ(allocator.allocated, 1);
  EXPECT_EQ(allocator.freed, 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_throwing_constructor, throwing_constructor);

// An allocator without memory results in std::bad_alloc, and nothing leaks.
void allocator_without_memory() {
  static TVMFFICustomAllocator empty{
      [](size_t, size_t, int32_t, void*) -> void* { return nullptr; }, nullptr};
  bool thrown = false;
  TVMFFISetCustomAllocator(&empty);
  try {
    ffi::make_object<AnimalObj>();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  TVMFFISetCustomAllocator(nullptr);
  EXPECT(thrown);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_allocator_without_memory, allocator_without_memory);

// An opaque object holds a foreign one and calls its deleter with it once.
void opaque_objects() {
  int deleted = 0;
  auto deleter = [](void* foreign) { ++*static_cast<int*>(foreign); };
  TVMFFIObjectHandle handle = nullptr;
  EXPECT_EQ(TVMFFIObjectCreateOpaque(&deleted, kTVMFFIOpaquePyObject, deleter, &handle), 0);
  auto* head = static_cast<TVMFFIObject*>(handle);
  EXPECT_EQ(head->type_index, int32_t{kTVMFFIOpaquePyObject});
  EXPECT_EQ(reinterpret_cast<TVMFFIOpaqueObjectCell*>(head + 1)->handle,
            static_cast<void*>(&deleted));
  TVMFFIObjectIncRef(handle);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(deleted, 0);
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(deleted, 1);
  EXPECT_EQ(TVMFFIObjectCreateOpaque(&deleted, AnimalObj::RuntimeTypeIndex(), nullptr, &handle), 0);
  EXPECT_EQ(static_cast<TVMFFIObject*>(handle)->type_index, AnimalObj::RuntimeTypeIndex());
  TVMFFIObjectDecRef(handle);
  EXPECT_EQ(deleted, 1);
  EXPECT_THROWS(
      "ValueError: TVMFFIObjectCreateOpaque: type_index: expected the index of an object "
      "type, got 63",
      TVM_FFI_CHECK_SAFE_CALL(TVMFFIObjectCreateOpaque(nullptr, 63, nullptr, &handle)));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_opaque_objects, opaque_objects);

// An object is an instance of its type and of every ancestor, and of nothing else.
void is_instance() {
  ffi::ObjectPtr<ffi::Object> cat = ffi::make_object<CatObj>();
  ffi::ObjectPtr<ffi::Object> animal = ffi::make_object<AnimalObj>();
  EXPECT(cat->IsInstance<CatObj>());
  EXPECT(cat->IsInstance<AnimalObj>());
  EXPECT(cat->IsInstance<ffi::Object>());
  EXPECT(!cat->IsInstance<ffi::ShapeObj>());
  EXPECT(!cat->IsInstance<ffi::ModuleObj>());
  EXPECT(!cat->IsInstance<FixedObj>());
  EXPECT(animal->IsInstance<AnimalObj>());
  EXPECT(!animal->IsInstance<CatObj>());
  ffi::Shape shape{1};
  EXPECT(shape->IsInstance<ffi::ShapeObj>());
  EXPECT(shape->IsInstance<ffi::Object>());
  EXPECT(!shape->IsInstance<AnimalObj>());
  EXPECT(fixed_registered);
  ffi::ObjectPtr<ffi::Object> fixed_child = ffi::make_object<FixedChildObj>();
  EXPECT(fixed_child->IsInstance<FixedObj>());
  EXPECT(!fixed_child->IsInstance<AnimalObj>());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_is_instance, is_instance);

// A handle knows its type and casts to a derived object, or to none.
void handles() {
  Animal cat(ffi::make_object<CatObj>());
  Animal none(nullptr);
  EXPECT_EQ(cat.type_index(), CatObj::RuntimeTypeIndex());
  EXPECT(cat.as<CatObj>() == cat.get());
  EXPECT(cat.as<ffi::ShapeObj>() == nullptr);
  EXPECT(none.as<CatObj>() == nullptr);
  EXPECT_EQ(none.type_index(), int32_t{kTVMFFINone});
  EXPECT(none == nullptr && cat != nullptr && !none.defined());
  EXPECT(cat.same_as(ffi::GetRef<Animal>(cat.as<CatObj>())));
  EXPECT(!cat.same_as(none));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_handles, handles);

// A parameter of a handle class accepts derived objects and rejects others by name.
void handles_as_arguments() {
  ffi::Function f = ffi::Function::FromTyped([](Animal animal) { return animal.defined(); });
  EXPECT(f(Animal(ffi::make_object<CatObj>())).cast<bool>());
  EXPECT(!f(nullptr).cast<bool>());
  EXPECT_THROWS(
      "TypeError: function(test_object.Animal) -> bool: argument 0: expected "
      "test_object.Animal, got Shape",
      f(ffi::Shape()));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_handles_as_arguments, handles_as_arguments);

// Handles compare by their objects, cast to other handle classes, and know their type.
void comparison_and_casts() {
  const ffi::ObjectRef cat = Animal(ffi::make_object<CatObj>());
  const ffi::ObjectRef same = cat;
  const ffi::ObjectRef shape = ffi::Shape{1};
  EXPECT(cat == same && !(cat != same) && cat != shape);
  EXPECT((cat < shape) != (shape < cat) && !(cat < same));
  EXPECT(ffi::ObjectPtrEqual()(cat, same) && !ffi::ObjectPtrEqual()(cat, shape));
  EXPECT_EQ(ffi::ObjectPtrHash()(cat), ffi::ObjectPtrHash()(same));
  std::optional<Animal> animal = cat.as<Animal>();
  EXPECT(animal.has_value() && animal->same_as(cat));
  EXPECT_EQ(cat.use_count(), 3);
  EXPECT(!shape.as<Animal>().has_value());
  EXPECT(!ffi::ObjectRef(nullptr).as<Animal>().has_value());
  EXPECT(cat.as_or_throw<Animal>().same_as(cat));
  EXPECT_THROWS("TypeError: ObjectRef: expected test_object.Animal, got Shape",
                shape.as_or_throw<Animal>());
  EXPECT_EQ(shape.GetTypeKey(), std::string("ffi.Shape"));
  EXPECT_EQ(shape->GetTypeKey(), std::string("ffi.Shape"));
  EXPECT_EQ(ffi::ObjectRef().GetTypeKey(), std::string("None"));
  EXPECT_EQ(ffi::Object::TypeIndex2Key(kTVMFFITensor), std::string("ffi.Tensor"));
  EXPECT_THROWS("TypeError: TVMFFIGetTypeInfo: type_index: expected a registered type, got 99999",
                ffi::Object::TypeIndex2Key(99999));
  EXPECT(shape->GetTypeKeyHash() != cat->GetTypeKeyHash());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_comparison_and_casts, comparison_and_casts);

// A weak pointer converts to one of a base, and counts the remaining owners.
void weak_conversions() {
  ffi::ObjectPtr<CatObj> cat = ffi::make_object<CatObj>();
  ffi::WeakObjectPtr<CatObj> weak = cat;
  ffi::WeakObjectPtr<ffi::Object> base = weak, from_owner = cat, none(nullptr);
  EXPECT_EQ(base.use_count(), 1);
  EXPECT(none.expired() && none.use_count() == 0);
  none.swap(base);
  EXPECT(base.expired() && none.lock() == ffi::ObjectPtr<ffi::Object>(cat));
  ffi::ObjectPtr<CatObj> other;
  other.swap(cat);
  EXPECT(cat == nullptr && ffi::GetObjectPtr<CatObj>(other.get()) == other);
  other.reset();
  EXPECT(weak.expired() && from_owner.expired() && none.expired());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_weak_conversions, weak_conversions);

// An object's array follows it in the same memory.
void array_behind_an_object() {
  for (size_t n : {size_t{0}, size_t{1}, size_t{1001}}) {
    ffi::ObjectPtr<CatObj> cat = ffi::make_inplace_array_object<CatObj, int64_t>(n);
    auto* elements = reinterpret_cast<int64_t*>(cat.get() + 1);
    for (size_t i = 0; i < n; ++i) elements[i] = static_cast<int64_t>(i);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(elements[i], static_cast<int64_t>(i));
    EXPECT(cat.unique());
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_array_behind_an_object, array_behind_an_object);

// A pointer to an object is lent as an argument and shared as a result; NULL is None.
void pointers_to_objects() {
  ffi::ObjectPtr<CatObj> cat = ffi::make_object<CatObj>();
  ffi::Function same = ffi::Function::FromTyped([](const AnimalObj* animal) { return animal; });
  {
    ffi::Any result = same(static_cast<const CatObj*>(cat.get()));
    EXPECT_EQ(cat.use_count(), 2);
    EXPECT(result.cast<const CatObj*>() == cat.get());
  }
  EXPECT(cat.unique());
  EXPECT_THROWS(
      "TypeError: function(test_object.Animal) -> test_object.Animal: argument 0: expected "
      "test_object.Animal, got Shape",
      same(ffi::Shape()));
  EXPECT(ffi::Any(static_cast<CatObj*>(nullptr)) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_pointers_to_objects, pointers_to_objects);

// Assigning one object to another leaves counts and types unchanged.
void assigned() {
  const ffi::ObjectPtr<CatObj> first = ffi::make_object<CatObj>();
  const ffi::ObjectPtr<CatObj> second = first, other = ffi::make_object<CatObj>();
  static_cast<ffi::Object&>(*first) = *other;
  EXPECT_EQ(first.use_count(), 2);
  EXPECT_EQ(other.use_count(), 1);
  EXPECT_EQ(first->type_index(), CatObj::RuntimeTypeIndex());
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_assigned, assigned);

// Owners are keys of a hash table by identity, not by content.
void owners_as_keys() {
  std::unordered_map<ffi::ObjectPtr<CatObj>, int, ffi::ObjectPtrHash, ffi::ObjectPtrEqual> names;
  const ffi::ObjectPtr<CatObj> first = ffi::make_object<CatObj>(), same = first;
  names[first] = 1;
  names[ffi::make_object<CatObj>()] = 2;
  names[same] = 3;
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.at(first), 3);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_owners_as_keys, owners_as_keys);
