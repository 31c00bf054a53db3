// SPDX-License-Identifier: Apache-2.0
// Reads Map and Dict objects using only their layout; test_map_layout.py builds and calls it.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// [map_cell.begin]
// Follows the header of a Map or a Dict.
struct MapCell {
  void* data;                   // pairs or groups, see below
  uint64_t size;                // number of pairs
  uint64_t slots;               // top bit set: a small table; the rest: its capacity
  void (*data_deleter)(void*);  // frees `data`, already emptied; NULL: `data` is in the object
  uint32_t shift;               // these four: only in a dense table
  uint32_t unused;
  uint64_t head;  // slot of the first pair in insertion order, ~0 when empty
  uint64_t tail;  // slot of the last one
};

// A small table: an array of `size` of these.
struct Pair {
  TVMFFIAny key;
  TVMFFIAny value;
};

// A dense table: groups of 16 slots.
struct Entry {
  Pair pair;
  uint64_t previous;  // slots in insertion order, ~0 at the ends
  uint64_t next;
};
struct Group {
  // 0xff: empty. Otherwise bit 7: continues a chain; bits 0 to 6: the jump to the next, 0 for none.
  uint8_t marks[16];
  Entry entries[16];
};
// [map_cell.end]

static_assert(sizeof(MapCell) == 56 && sizeof(Pair) == 32 && sizeof(Entry) == 48);
static_assert(sizeof(Group) == 784);

// [map_walk.begin]
// The sum of all keys of a Map or a Dict with int keys.
int64_t SumOfKeys(ffi::ObjectRef map) {
  const auto* head = reinterpret_cast<const TVMFFIObject*>(map.get());
  const auto* cell = reinterpret_cast<const MapCell*>(head + 1);
  int64_t sum = 0;
  if ((cell->slots >> 63) != 0) {
    const auto* row = static_cast<const Pair*>(cell->data);
    for (uint64_t i = 0; i < cell->size; ++i) sum += row[i].key.v_int64;
    return sum;
  }
  const auto* groups = static_cast<const Group*>(cell->data);
  for (uint64_t slot = cell->head; slot != ~uint64_t{0};) {
    const Entry& entry = groups[slot / 16].entries[slot % 16];
    sum += entry.pair.key.v_int64;
    slot = entry.next;
  }
  return sum;
}
// [map_walk.end]

// [map_home.begin]
// Whether a key of a dense table starts a chain in its home slot, rather than continues one.
bool IsAtHome(const MapCell* cell, uint64_t slot) {
  const Group& group = static_cast<const Group*>(cell->data)[slot / 16];
  const TVMFFIAny& key = group.entries[slot % 16].pair.key;
  const uint64_t hash = ffi::AnyHash()(ffi::AnyView::CopyFromTVMFFIAny(key));
  const uint64_t home = hash * 11400714819323198485u >> cell->shift;
  return (group.marks[slot % 16] & 0x80) != 0 || home == slot;
}
// [map_home.end]

int64_t KeysNotAtHome(ffi::ObjectRef map) {
  const auto* head = reinterpret_cast<const TVMFFIObject*>(map.get());
  const auto* cell = reinterpret_cast<const MapCell*>(head + 1);
  if ((cell->slots >> 63) != 0) return 0;
  const auto* groups = static_cast<const Group*>(cell->data);
  int64_t wrong = 0;
  uint64_t count = 0;
  for (uint64_t slot = 0; slot < cell->slots; ++slot) {
    if (groups[slot / 16].marks[slot % 16] == 0xff) continue;
    ++count;
    wrong += IsAtHome(cell, slot) ? 0 : 1;
  }
  EXPECT_EQ(count, cell->size);
  return wrong;
}

ffi::Map<int64_t, int64_t> MapOf(int64_t n) {
  ffi::Map<int64_t, int64_t> map;
  for (int64_t i = 0; i < n; ++i) map.Set(i * i, -i);
  return map;
}

ffi::Dict<int64_t, int64_t> DictOf(int64_t n) {
  ffi::Dict<int64_t, int64_t> dict;
  for (int64_t i = 0; i < n; ++i) dict.Set(i * i, -i);
  return dict;
}

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(sum_of_keys, SumOfKeys);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keys_not_at_home, KeysNotAtHome);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(map_of, MapOf);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(dict_of, DictOf);
