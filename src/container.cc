// SPDX-License-Identifier: Apache-2.0
// Global functions to create, read and modify containers, for languages without their layouts.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/reflection/registry.h>

#include <algorithm>
#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ffi = tvm::ffi;

using ffi::Any;
using AnyArray = ffi::Array<Any>;
using AnyList = ffi::List<Any>;
using AnyMap = ffi::Map<Any, Any>;
using AnyDict = ffi::Dict<Any, Any>;

namespace {

// The marker for a missing value; None may be an actual value.
const ffi::ObjectRef& InvalidObject() {
  // Leaked on purpose: values may be compared with it until the process exits.
  static const auto* object = new ffi::ObjectRef(ffi::make_object<ffi::Object>());
  return *object;
}

// ---- Sequences ----

template <typename Seq>
void MakeSequence(ffi::PackedArgs args, Any* result) {
  Seq made;
  made.reserve(args.size());
  for (int i = 0; i < args.size(); ++i) made.push_back(args[i]);
  *result = std::move(made);
}

template <typename Seq>
int64_t SizeOf(const Seq& container) {
  return static_cast<int64_t>(container.size());
}

template <typename Seq>
Any ItemOf(const Seq& sequence, int64_t index) {
  return sequence[index];
}

template <typename Seq>
bool Contains(const Seq& sequence, const Any& value) {
  // Hold each element and reread the size: a type's equality function may change the list.
  for (int64_t i = 0; i < SizeOf(sequence); ++i) {
    const Any element = sequence[i];
    if (ffi::AnyEqual()(element, value)) return true;
  }
  return false;
}

// Throws unless `first` to `last` is a valid range of the list.
void CheckRange(const char* function, const AnyList& list, int64_t first, int64_t last) {
  const int64_t size = SizeOf(list);
  TVM_FFI_CHECK(0 <= first && first <= last && last <= size, IndexError)
      << function << ": expected a range within 0 to " << size << ", got " << first << " to "
      << last;
}

void SetItem(AnyList list, int64_t index, const Any& value) { list.Set(index, value); }
void Append(AnyList list, const Any& value) { list.push_back(value); }
void Clear(AnyList list) { list.clear(); }

void Insert(AnyList list, int64_t index, const Any& value) {
  CheckRange("ffi.ListInsert", list, index, SizeOf(list));
  list.insert(list.begin() + index, value);
}

Any Pop(AnyList list, int64_t index) {
  Any value = list[index];
  list.erase(list.begin() + index);
  return value;
}

void EraseItem(AnyList list, int64_t index) { Pop(std::move(list), index); }

void EraseRange(AnyList list, int64_t first, int64_t last) {
  CheckRange("ffi.ListEraseRange", list, first, last);
  list.erase(list.begin() + first, list.begin() + last);
}

void ReplaceSlice(AnyList list, int64_t first, int64_t last, const AnyList& values) {
  CheckRange("ffi.ListReplaceSlice", list, first, last);
  // Copied first, as the values may be the list itself.
  const AnyArray added(values.begin(), values.end());
  list.erase(list.begin() + first, list.begin() + last);
  list.insert(list.begin() + first, added.begin(), added.end());
}

void Reverse(AnyList list) {
  const AnyArray before(list.begin(), list.end());
  list.Assign(before.rbegin(), before.rend());
}

void Reserve(AnyList list, int64_t capacity) { list.reserve(capacity); }

// ---- Mappings ----

template <typename Mapping>
void MakeMapping(ffi::PackedArgs args, Any* result) {
  TVM_FFI_CHECK(args.size() % 2 == 0, ValueError)
      << "ffi.Map, ffi.Dict: expected key-value pairs, got " << args.size() << " arguments";
  Mapping made;
  for (int i = 0; i < args.size(); i += 2) made.Set(args[i], args[i + 1]);
  *result = std::move(made);
}

template <typename Mapping>
Any ValueOf(const Mapping& mapping, const Any& key) {
  return mapping.at(key);
}

template <typename Mapping>
int64_t Count(const Mapping& mapping, const Any& key) {
  return static_cast<int64_t>(mapping.count(key));
}

template <typename Mapping>
Any ValueOrMissing(const Mapping& mapping, const Any& key) {
  const auto found = mapping.find(key);
  return found == mapping.end() ? Any(InvalidObject()) : (*found).second;
}

void SetPair(AnyDict dict, const Any& key, const Any& value) { dict.Set(key, value); }
void ErasePair(AnyDict dict, const Any& key) { dict.erase(key); }
void ClearPairs(AnyDict dict) { dict.clear(); }

// An iterator over the pairs: called with 0 it returns the key, with 1 the value; with 2 it
// advances and returns whether there is another pair.
template <typename Mapping>
ffi::Function Walk(const Mapping& mapping) {
  // Copied, as a Dict may change during the iteration.
  AnyArray keys;
  AnyArray values;
  for (const auto& pair : mapping) {
    keys.push_back(pair.first);
    values.push_back(pair.second);
  }
  return ffi::Function::FromTyped(
      [keys = std::move(keys), values = std::move(values), at = int64_t{0}](int64_t step) mutable {
        TVM_FFI_CHECK(0 <= step && step <= 2, ValueError)
            << "ffi.MapForwardIterFunctor: step: expected 0, 1 or 2, got " << step;
        if (step == 0) return keys[at];
        if (step == 1) return values[at];
        if (at < SizeOf(keys)) ++at;
        return Any(at < SizeOf(keys));
      });
}

// ---- Devices ----

bool HasStreams(DLDevice device) {
  return device.device_type != kDLCPU && device.device_type != kDLCUDAHost &&
         device.device_type != kDLROCMHost;
}

// The device of the first tensor not on the host, at any depth; the CPU if there is none. Visits
// each container once: several may hold the same one, and a List may hold itself.
DLDevice FirstDevice(const Any& value) {
  std::unordered_set<const TVMFFIObject*> seen;
  std::vector<Any> waiting = {value};
  while (!waiting.empty()) {
    const Any next = std::move(waiting.back());
    waiting.pop_back();
    const TVMFFIAny any = next.CopyToTVMFFIAny();
    if (any.type_index == kTVMFFITensor) {
      const auto* tensor = reinterpret_cast<const DLTensor*>(any.v_obj + 1);
      if (HasStreams(tensor->device)) return tensor->device;
      continue;
    }
    const size_t before = waiting.size();
    if (any.type_index == kTVMFFIArray || any.type_index == kTVMFFIList) {
      if (!seen.insert(any.v_obj).second) continue;
      for (const Any& element : *ffi::detail::AsSeq(&any)) waiting.push_back(element);
    } else if (any.type_index == kTVMFFIMap || any.type_index == kTVMFFIDict) {
      if (!seen.insert(any.v_obj).second) continue;
      for (const auto& pair : next.cast<AnyMap>()) waiting.push_back(pair.second);
    }
    std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(before), waiting.end());
  }
  return DLDevice{kDLCPU, 0};
}

[[maybe_unused]] const bool registered = [] {
  InvalidObject();  // see locks.h
  ffi::reflection::GlobalDef()
      .def("ffi.GetInvalidObject", [] { return InvalidObject(); })
      .def_packed("ffi.Array", MakeSequence<AnyArray>)
      .def("ffi.ArraySize", SizeOf<AnyArray>)
      .def("ffi.ArrayGetItem", ItemOf<AnyArray>)
      .def("ffi.ArrayContains", Contains<AnyArray>)
      .def_packed("ffi.List", MakeSequence<AnyList>)
      .def("ffi.ListSize", SizeOf<AnyList>)
      .def("ffi.ListGetItem", ItemOf<AnyList>)
      .def("ffi.ListContains", Contains<AnyList>)
      .def("ffi.ListSetItem", SetItem)
      .def("ffi.ListAppend", Append)
      .def("ffi.ListInsert", Insert)
      .def("ffi.ListPop", Pop)
      .def("ffi.ListErase", EraseItem)
      .def("ffi.ListEraseRange", EraseRange)
      .def("ffi.ListReplaceSlice", ReplaceSlice)
      .def("ffi.ListReverse", Reverse)
      .def("ffi.ListClear", Clear)
      .def("ffi.ListReserve", Reserve)
      .def_packed("ffi.Map", MakeMapping<AnyMap>)
      .def("ffi.MapSize", SizeOf<AnyMap>)
      .def("ffi.MapGetItem", ValueOf<AnyMap>)
      .def("ffi.MapGetItemOrMissing", ValueOrMissing<AnyMap>)
      .def("ffi.MapCount", Count<AnyMap>)
      .def("ffi.MapForwardIterFunctor", Walk<AnyMap>)
      .def_packed("ffi.Dict", MakeMapping<AnyDict>)
      .def("ffi.DictSize", SizeOf<AnyDict>)
      .def("ffi.DictGetItem", ValueOf<AnyDict>)
      .def("ffi.DictGetItemOrMissing", ValueOrMissing<AnyDict>)
      .def("ffi.DictCount", Count<AnyDict>)
      .def("ffi.DictForwardIterFunctor", Walk<AnyDict>)
      .def("ffi.DictSetItem", SetPair)
      .def("ffi.DictErase", ErasePair)
      .def("ffi.DictClear", ClearPairs)
      .def("ffi.ContainerFindFirstNonCPUDevice", FirstDevice);
  return true;
}();

}  // namespace
