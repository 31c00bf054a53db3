// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// The type table of c_api.h: indices, ancestors, fields, methods, attributes, metadata.
#include <tvm/ffi/tvm_ffi.h>

#include <atomic>
#include <thread>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

TVMFFIByteArray Bytes(std::string_view text) { return {text.data(), text.size()}; }
std::string Text(const TVMFFIByteArray& bytes) { return std::string(bytes.data, bytes.size); }

struct NewType {
  std::string_view key;
  int32_t parent = kTVMFFIObject;
  int32_t depth = 1;
  int32_t fixed_index = -1;
  int32_t child_slots = 0;
  bool can_overflow = true;
};

// Registers a type; an error raised by the C function is thrown.
int32_t Register(const NewType& type) {
  const TVMFFIByteArray key = Bytes(type.key);
  const int32_t index = TVMFFITypeGetOrAllocIndex(&key, type.fixed_index, type.depth,
                                                  type.child_slots, type.can_overflow, type.parent);
  if (index < 0) ffi::detail::ThrowRaised(index);
  return index;
}

const TVMFFITypeInfo& Info(int32_t index) {
  const TVMFFITypeInfo* info = TVMFFIGetTypeInfo(index);
  if (info == nullptr) ffi::detail::ThrowRaised(-1);
  return *info;
}

}  // namespace

// Types with fixed indices exist from the start, under the names used by both runtimes.
void built_in_types() {
  EXPECT_EQ(ffi::TypeKeyToIndex("ffi.Object"), int32_t{kTVMFFIObject});
  EXPECT_EQ(ffi::TypeKeyToIndex("ffi.Tensor"), int32_t{kTVMFFITensor});
  EXPECT_EQ(ffi::TypeKeyToIndex("ffi.Module"), int32_t{kTVMFFIModule});
  EXPECT_EQ(ffi::TypeIndexToTypeKey(kTVMFFITensor), "ffi.Tensor");
  EXPECT_EQ(ffi::TypeIndexToTypeKey(kTVMFFIInt), "int");
  EXPECT_EQ(Info(kTVMFFIObject).type_depth, 0);
  EXPECT_EQ(Info(kTVMFFITensor).type_depth, 1);
  EXPECT_EQ(Text(Info(kTVMFFITensor).type_key), std::string("ffi.Tensor"));
  EXPECT_EQ(Info(kTVMFFITensor).type_ancestors[0]->type_index, int32_t{kTVMFFIObject});
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_built_in_types, built_in_types);

// A new type gets its own index, and the same one when it is registered again.
void dynamic_types() {
  const int32_t parent = Register({"test_types.Parent"});
  const int32_t child = Register({"test_types.Child", parent, 2});
  EXPECT(parent >= kTVMFFIDynObjectBegin && child >= kTVMFFIDynObjectBegin && parent != child);
  EXPECT_EQ(Register({"test_types.Parent"}), parent);
  EXPECT_EQ(ffi::TypeKeyToIndex("test_types.Child"), child);
  const TVMFFITypeInfo& info = Info(child);
  EXPECT_EQ(info.type_index, child);
  EXPECT_EQ(info.type_depth, 2);
  EXPECT_EQ(info.type_ancestors[0]->type_index, int32_t{kTVMFFIObject});
  EXPECT_EQ(info.type_ancestors[1]->type_index, parent);
  EXPECT_EQ(info.type_ancestors[1], &Info(parent));
  EXPECT(info.type_key_hash != Info(parent).type_key_hash);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_dynamic_types, dynamic_types);

// A type may request a fixed index, if it is free.
void fixed_indices() {
  EXPECT_EQ(Register({"test_types.Fixed", kTVMFFIObject, 1, 110}), 110);
  EXPECT_EQ(ffi::TypeKeyToIndex("test_types.Fixed"), 110);
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Taken: static_type_index: "
      "expected a free index, got 110, which is test_types.Fixed",
      Register({"test_types.Taken", kTVMFFIObject, 1, 110}));
  EXPECT_THROWS(
      "TypeError: TVMFFITypeKeyToIndex: expected a registered type, got "
      "\"test_types.Taken\"",
      ffi::TypeKeyToIndex("test_types.Taken"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_fixed_indices, fixed_indices);

// A type that is declared again must match: the same parent, depth and index.
void other_declarations() {
  const int32_t parent = Register({"test_types.Known"});
  const int32_t child = Register({"test_types.KnownChild", parent, 2});
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.KnownChild: expected the declaration that "
      "is registered, with parent test_types.Known at depth 2, got parent index 64 at depth 1",
      Register({"test_types.KnownChild"}));
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: ffi.Object: expected the declaration that is "
      "registered, with parent none at depth 0, got parent index 64 at depth 1",
      Register({"ffi.Object"}));
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: ffi.Tensor: static_type_index: expected 70, as "
      "registered, got 111",
      Register({"ffi.Tensor", kTVMFFIObject, 1, 111}));
  EXPECT_EQ(Register({"ffi.Tensor", kTVMFFIObject, 1, kTVMFFITensor}), int32_t{kTVMFFITensor});
  EXPECT_EQ(Register({"test_types.KnownChild", parent, 2}), child);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_other_declarations, other_declarations);

// Readers see complete fields while other threads add types and fields; their pointers stay valid.
void readers_need_no_lock() {
  const int32_t index = Register({"test_types.Growing"});
  const TVMFFITypeInfo& info = Info(index);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  auto read = [&] {
    while (!done) {
      const int32_t count = __atomic_load_n(&info.num_fields, __ATOMIC_ACQUIRE);
      const TVMFFIFieldInfo* fields = __atomic_load_n(&info.fields, __ATOMIC_ACQUIRE);
      for (int32_t i = 0; i < count; ++i)
        wrong += fields[i].offset != i || fields[i].name.size != 5;
      wrong += TVMFFIGetTypeInfo(index) != &info;
    }
  };
  std::thread reader(read), other(read);
  for (int64_t i = 0; i < 300; ++i) {
    TVMFFIFieldInfo field{};
    field.name = Bytes("field");
    field.offset = i;
    EXPECT_EQ(TVMFFITypeRegisterField(index, &field), 0);
    const std::string key = "test_types.Beside" + std::string(static_cast<size_t>(i), 'x');
    EXPECT(TVMFFIGetTypeInfo(Register({key})) != nullptr);
  }
  done = true;
  reader.join();
  other.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(info.num_fields, 300);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_readers_need_no_lock, readers_need_no_lock);

// Children of a type with slots follow it; one too many is rejected unless they may overflow.
void child_slots() {
  const int32_t closed = Register({"test_types.Closed", kTVMFFIObject, 1, -1, 2, false});
  EXPECT_EQ(Register({"test_types.ClosedA", closed, 2}), closed + 1);
  EXPECT_EQ(Register({"test_types.ClosedB", closed, 2}), closed + 2);
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.ClosedC: expected 1 of the "
      "child slots reserved by test_types.Closed to be free, got 0",
      Register({"test_types.ClosedC", closed, 2}));
  const int32_t open = Register({"test_types.Open", kTVMFFIObject, 1, -1, 1, true});
  EXPECT_EQ(open, closed + 3);
  EXPECT_EQ(Register({"test_types.OpenA", open, 2}), open + 1);
  EXPECT_EQ(Register({"test_types.OpenB", open, 2}), open + 2);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_child_slots, child_slots);

// A child that reserves slots of its own takes them from its parent's.
void child_slots_of_a_child() {
  const int32_t outer = Register({"test_types.Outer", kTVMFFIObject, 1, -1, 4, false});
  const int32_t inner = Register({"test_types.Inner", outer, 2, -1, 1, false});
  EXPECT_EQ(inner, outer + 1);
  EXPECT_EQ(Register({"test_types.InnerA", inner, 3}), inner + 1);
  EXPECT_EQ(Register({"test_types.OuterB", outer, 2}), inner + 2);
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.OuterC: expected 2 of the child slots "
      "reserved by test_types.Outer to be free, got 1",
      Register({"test_types.OuterC", outer, 2, -1, 1}));
  EXPECT_EQ(Register({"test_types.Behind"}), outer + 5);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_child_slots_of_a_child, child_slots_of_a_child);

// A slot count or fixed index beyond the table is rejected, and types after it are not.
void beyond_the_table() {
  EXPECT_THROWS_WITH(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Huge: num_child_slots: expected a number",
      Register({"test_types.Huge", kTVMFFIObject, 1, -1, INT32_MAX}));
  EXPECT_THROWS_WITH(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Less: num_child_slots: expected a number",
      Register({"test_types.Less", kTVMFFIObject, 1, -1, -1}));
  const int32_t before = Register({"test_types.BeforeFixed"});
  EXPECT_THROWS_WITH(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Next: static_type_index: expected an "
      "index below 128, ",
      Register({"test_types.Next", kTVMFFIObject, 1, before + 1}));
  EXPECT_EQ(Register({"test_types.AfterFixed"}), before + 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_beyond_the_table, beyond_the_table);

// An unregistered parent, or a depth that does not match it, is rejected.
void bad_registrations() {
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Orphan: parent_type_index: "
      "expected a registered type, got 99999",
      Register({"test_types.Orphan", 99999}));
  EXPECT_THROWS(
      "ValueError: TVMFFITypeGetOrAllocIndex: test_types.Deep: type_depth: expected 1, "
      "got 3",
      Register({"test_types.Deep", kTVMFFIObject, 3}));
  EXPECT_THROWS("TypeError: TVMFFIGetTypeInfo: type_index: expected a registered type, got 99999",
                ffi::TypeIndexToTypeKey(99999));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_bad_registrations, bad_registrations);

// Fields, methods and metadata are returned as registered; texts and values are copies.
void descriptions() {
  const int32_t index = Register({"test_types.Described"});
  ffi::Function method = ffi::Function::FromTyped([] { return 7; });
  {
    const std::string name = "first", doc = "What it is.", schema = "{\"type\":\"int\"}";
    TVMFFIFieldInfo field{};
    field.name = Bytes(name);
    field.doc = Bytes(doc);
    field.metadata = Bytes(schema);
    field.flags = kTVMFFIFieldFlagBitMaskWritable | kTVMFFIFieldFlagBitMaskHasDefault;
    field.size = 8;
    field.alignment = 4;
    field.offset = 24;
    field.getter = [](void*, TVMFFIAny*) { return 0; };
    field.default_value_or_factory = ffi::AnyView("a text that is lent").CopyToTVMFFIAny();
    field.field_static_type_index = kTVMFFIInt;
    EXPECT_EQ(TVMFFITypeRegisterField(index, &field), 0);
    const std::string second = "second";
    field.name = Bytes(second);
    EXPECT_EQ(TVMFFITypeRegisterField(index, &field), 0);
    TVMFFIMethodInfo info{};
    const std::string call = "call";
    info.name = Bytes(call);
    info.flags = kTVMFFIFieldFlagBitMaskIsStaticMethod;
    info.method = ffi::AnyView(method).CopyToTVMFFIAny();
    EXPECT_EQ(TVMFFITypeRegisterMethod(index, &info), 0);
    TVMFFITypeMetadata metadata{};
    metadata.doc = Bytes(doc);
    metadata.total_size = 32;
    metadata.structural_eq_hash_kind = kTVMFFISEqHashKindTreeNode;
    EXPECT_EQ(TVMFFITypeRegisterMetadata(index, &metadata), 0);
    EXPECT_THROWS(
        "ValueError: TVMFFITypeRegisterMetadata: expected a type that is not registered yet, got "
        "test_types.Described, which another library, or an earlier build of this one, has "
        "registered in this process",
        TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(index, &metadata)));
  }
  const TVMFFITypeInfo& info = Info(index);
  EXPECT_EQ(info.num_fields, 2);
  EXPECT_EQ(Text(info.fields[0].name), std::string("first"));
  EXPECT_EQ(Text(info.fields[0].doc), std::string("What it is."));
  EXPECT_EQ(Text(info.fields[0].metadata), std::string("{\"type\":\"int\"}"));
  EXPECT_EQ(info.fields[0].flags, 3);
  EXPECT_EQ(info.fields[0].size, 8);
  EXPECT_EQ(info.fields[0].alignment, 4);
  EXPECT_EQ(info.fields[0].offset, 24);
  EXPECT_EQ(info.fields[0].default_value_or_factory.type_index, int32_t{kTVMFFIStr});
  EXPECT_EQ(info.fields[0].field_static_type_index, int32_t{kTVMFFIInt});
  EXPECT(info.fields[0].getter != nullptr && info.fields[0].setter == nullptr);
  EXPECT_EQ(
      ffi::AnyView::CopyFromTVMFFIAny(info.fields[0].default_value_or_factory).cast<std::string>(),
      std::string("a text that is lent"));
  EXPECT_EQ(Text(info.fields[1].name), std::string("second"));
  EXPECT_EQ(info.num_methods, 1);
  EXPECT_EQ(Text(info.methods[0].name), std::string("call"));
  EXPECT_EQ(info.methods[0].flags, 4);
  EXPECT(ffi::AnyView::CopyFromTVMFFIAny(info.methods[0].method).same_as(ffi::AnyView(method)));
  EXPECT_EQ(method.use_count(), 2);
  EXPECT_EQ(Text(info.metadata->doc), std::string("What it is."));
  EXPECT_EQ(info.metadata->total_size, 32);
  EXPECT_EQ(info.metadata->structural_eq_hash_kind, kTVMFFISEqHashKindTreeNode);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_descriptions, descriptions);

// Descriptions of an unregistered type are rejected.
void descriptions_of_no_type() {
  const std::string tail = ": type_index: expected a registered type, got 99999";
  const TVMFFIFieldInfo field{};
  const TVMFFIMethodInfo method{};
  const TVMFFITypeMetadata metadata{};
  const TVMFFIByteArray name = Bytes("test_types.attribute_of_none");
  const TVMFFIAny value{};
  EXPECT_THROWS("TypeError: TVMFFITypeRegisterField" + tail,
                TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(99999, &field)));
  EXPECT_THROWS("TypeError: TVMFFITypeRegisterMethod" + tail,
                TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMethod(99999, &method)));
  EXPECT_THROWS("TypeError: TVMFFITypeRegisterMetadata" + tail,
                TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterMetadata(99999, &metadata)));
  EXPECT_THROWS("TypeError: TVMFFITypeRegisterAttr" + tail,
                TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterAttr(99999, &name, &value)));
  EXPECT(TVMFFIGetTypeAttrColumn(&name) == nullptr);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_descriptions_of_no_type, descriptions_of_no_type);

// The attributes known to the runtime have columns from the start, before a type has a value.
void columns_from_the_start() {
  for (const char* known :
       {"__any_equal__", "__any_hash__", "__data_from_json__", "__data_to_json__",
        "__ffi_compare__", "__ffi_convert__", "__ffi_enum__", "__ffi_eq__", "__ffi_hash__",
        "__ffi_init__", "__ffi_new__", "__ffi_repr__", "__ffi_shallow_copy__", "__ffi_type_final__",
        "__s_equal__", "__s_hash__", "__s_maybe_inplace_mutate__", "__s_mutate__", "__s_visit__"}) {
    const TVMFFIByteArray name = Bytes(known);
    const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&name);
    EXPECT_EQ(std::string(column == nullptr ? known : ""), std::string());
    EXPECT(column == nullptr || column->size == 0 || column->data != nullptr);
  }
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_columns_from_the_start, columns_from_the_start);

// An attribute's column has the latest value of each type, or None if a type has none.
void attributes() {
  const TVMFFIByteArray name = Bytes("test_types.attribute");
  EXPECT(TVMFFIGetTypeAttrColumn(&name) == nullptr);
  const int32_t plain = Register({"test_types.Plain"});
  const int32_t index = Register({"test_types.Attributed"});
  ffi::Shape first{1}, second{2};
  const TVMFFIAny first_value = ffi::AnyView(first).CopyToTVMFFIAny();
  const TVMFFIAny second_value = ffi::AnyView(second).CopyToTVMFFIAny();
  EXPECT_EQ(TVMFFITypeRegisterAttr(index, &name, &first_value), 0);
  EXPECT_EQ(first.use_count(), 2);
  const TVMFFITypeAttrColumn* column = TVMFFIGetTypeAttrColumn(&name);
  EXPECT(column != nullptr && column->begin_index + column->size > index);
  EXPECT_EQ(column->data[index - column->begin_index].v_obj, first_value.v_obj);
  EXPECT_EQ(column->data[plain - column->begin_index].type_index, int32_t{kTVMFFINone});
  EXPECT_EQ(TVMFFITypeRegisterAttr(index, &name, &second_value), 0);
  EXPECT_EQ(column->data[index - column->begin_index].v_obj, second_value.v_obj);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_attributes, attributes);
