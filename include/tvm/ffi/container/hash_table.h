// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/container/hash_table.h
 * \brief The table inside Map and Dict, laid out as every library in the process expects it.
 *
 * For internal use: include tvm/ffi/container/map.h or tvm/ffi/container/dict.h instead.
 */
#ifndef TVM_FFI_CONTAINER_HASH_TABLE_H_
#define TVM_FFI_CONTAINER_HASH_TABLE_H_

#include <tvm/ffi/any_hash.h>
#include <tvm/ffi/object_ref.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

/*
 * The layout, as observed in the published runtime.
 *
 * A table is small or dense. A small table is an array of at most 4 pairs in insertion order, in
 * the object itself or in a block. A dense table is a block of 2^n slots in groups of 16: 16 mark
 * bytes, then 16 entries. The entries are linked in insertion order.
 *
 * The home of a key is the top n bits of its hash times 2^64 over the golden ratio. Keys with the
 * same home form a chain that starts there. A mark says whether its slot starts a chain (bit 7
 * clear) or continues one, and how far away the next slot of the chain is (the low 7 bits, 0 at the
 * end). A key whose home holds the middle of another chain relocates that part of the chain.
 */
class HashTable {
 public:
  using Pair = std::pair<Any, Any>;
  static constexpr uint64_t kNone = ~uint64_t{0};

  HashTable() : data_(in_place_), slots_(kSmall | kInPlace) {}
  HashTable(const HashTable&) = delete;
  HashTable& operator=(const HashTable&) = delete;
  ~HashTable() { Free(data_, size_, slots_, IsSmall() ? 0 : dense_.head, data_deleter_); }

  uint64_t size() const { return size_; }

  // Positions: the index in the row, or the slot. End() is one past the last index, or kNone.
  uint64_t Begin() const { return IsSmall() ? 0 : dense_.head; }
  uint64_t End() const { return IsSmall() ? size_ : kNone; }
  uint64_t Next(uint64_t at) const { return IsSmall() ? at + 1 : EntryAt(at).next; }
  uint64_t Previous(uint64_t at) const {
    if (IsSmall()) return at - 1;
    return at == kNone ? dense_.tail : EntryAt(at).previous;
  }
  Pair& At(uint64_t at) const { return IsSmall() ? Row()[at] : EntryAt(at).pair; }

  uint64_t Find(const TVMFFIAny& key) const {
    return IsSmall() ? FindSmall(key) : FindDense(key, HashOfNew(key));
  }

  // Either succeeds or throws and changes nothing.
  void Set(Any key, Any value) {
    const uint64_t hash = IsSmall() ? 0 : HashOfNew(*Raw(key));
    const uint64_t at = IsSmall() ? Find(*Raw(key)) : FindDense(*Raw(key), hash);
    if (at != End()) {
      // The old value is destroyed by this call, once the table is consistent again.
      std::swap(At(at).second, value);
    } else if (IsSmall()) {
      AddNew(std::move(key), std::move(value));
    } else {
      AddDense(hash, std::move(key), std::move(value));
    }
  }

  void Erase(uint64_t at) {
    if (IsSmall()) {
      const Pair gone = std::move(Row()[at]);
      for (uint64_t i = at + 1; i < size_; ++i) Row()[i - 1] = std::move(Row()[i]);
      Row()[--size_].~Pair();
    } else {
      EraseDense(at);
    }
  }

  void Clear() {
    if (size_ == 0) return;
    // The contents are destroyed once the table is consistent again: destructors may use it.
    void* row = ::operator new(kSmallMost * sizeof(Pair));
    Pair in_place[kSmallMost];
    if (IsSmall()) {
      for (uint64_t i = 0; i < size_; ++i) std::swap(in_place[i], Row()[i]);
    }
    void* data = data_;
    const uint64_t size = size_;
    const uint64_t slots = slots_;
    const uint64_t head = IsSmall() ? 0 : dense_.head;
    void (*deleter)(void*) = data_deleter_;
    data_ = row;
    size_ = 0;
    slots_ = kSmall | kSmallMost;
    data_deleter_ = FreeBlock;
    Free(data, size, slots, head, deleter);
  }

  // Reserves room for `size` pairs.
  void Reserve(uint64_t size) {
    if (size <= kSmallMost) {
      if (IsSmall() && size > (slots_ & ~kSmall)) GrowRow();
      return;
    }
    TVM_FFI_CHECK(size <= kSlotsMost / 2, ValueError)
        << "Map: expected room for at most " << kSlotsMost / 2 << " pairs, got " << size;
    uint64_t slots = kSlotsLeast;
    while (IsFull(size, slots)) slots *= 2;
    if (IsSmall() || slots > slots_) Rehash(slots);
  }

  // Fills an empty table with the pairs of another. No key is hashed, because that may run user
  // code that changes the other table.
  void CopyFrom(const HashTable& other) {
    if (other.IsSmall()) {
      Reserve(other.size_);
      for (uint64_t at = 0; at < other.size_; ++at) {
        AddNew(other.Row()[at].first, other.Row()[at].second);
      }
      return;
    }
    HashTable copy(other.slots_);
    for (uint64_t at = other.dense_.head; at != kNone; at = other.EntryAt(at).next) {
      copy.MarkOf(at) = other.MarkOf(at);
      new (&copy.EntryAt(at)) Entry(other.EntryAt(at));
    }
    copy.dense_ = other.dense_;
    copy.size_ = other.size_;
    Adopt(&copy);
  }

 private:
  struct Entry {
    Pair pair;
    uint64_t previous;
    uint64_t next;
  };
  struct Dense {
    uint32_t shift;  // 64 - n for 2^n slots.
    uint64_t head;   // First and last entry in insertion order; kNone when empty.
    uint64_t tail;
  };

  static constexpr uint64_t kSmall = uint64_t{1} << 63;
  static constexpr uint64_t kInPlace = 2;
  static constexpr uint64_t kSmallMost = 4;
  static constexpr uint64_t kSlotsLeast = 8;
  static constexpr uint64_t kSlotsMost = uint64_t{1} << 40;
  static constexpr uint64_t kGroup = 16;
  static constexpr uint64_t kGroupBytes = kGroup * (1 + sizeof(Entry));
  static constexpr uint8_t kEmpty = 0xff;
  static constexpr uint8_t kContinues = 0x80;
  static constexpr uint8_t kJump = 0x7f;
  static constexpr uint8_t kJumps = 126;

  // The number of slots that a mark's jump spans: 1 to 15, then triangular numbers, then steps that
  // grow by 9/4. Stored modulo 2^40, the maximum number of slots.
  static uint64_t Jump(uint8_t mark) {
    static constexpr uint64_t kFar[] = {
        8515,         19110,        42778,         96141,        216153,       486591,
        1092981,      2458653,      5532801,       12442566,     27993903,     62983476,
        141717030,    318844378,    717352503,     1614057336,   3631522476,   8170957530,
        18384510628,  41364789378,  93070452520,   209408356380, 471168559170, 1060128894105,
        186266210143, 968852329524, 1080402427875, 781636178166, 659172537431, 108736235000,
        519515776445, 344267446545, 1049437678361, 162232512415, 914621529413, 133705861349,
        26031127925,  58463767581,  680821074819,  981374280266, 282870795708, 635921297202,
        327276342371};
    static_assert(sizeof(kFar) / sizeof(kFar[0]) == kJumps - 83, "one for each far jump");
    const uint64_t jump = mark & kJump;
    if (jump <= 15) return jump;
    if (jump <= 82) return (jump - 10) * (jump - 9) / 2;
    return kFar[jump - 83];
  }

  static bool IsFull(uint64_t size, uint64_t slots) { return size * 100 > slots * 99; }

  static void FreeBlock(void* data) { ::operator delete(data); }

  // Destroys `size` pairs and frees their block.
  static void Free(void* data, uint64_t size, uint64_t slots, uint64_t head,
                   void (*deleter)(void*)) {
    if ((slots & kSmall) != 0) {
      for (uint64_t i = 0; i < size; ++i) static_cast<Pair*>(data)[i].~Pair();
    } else {
      for (uint64_t at = head; at != kNone;) {
        Entry& entry = EntryAt(data, at);
        at = entry.next;
        entry.pair.~Pair();
      }
    }
    if (deleter != nullptr) deleter(data);
  }

  // Guards the table while a type's own hash or equality runs, which may change the table, free it,
  // or remove the key being compared. The caller proceeds only if its state is still valid.
  class Watch {
   public:
    // `at` is the position of the key being compared or hashed; kNone if it is not in the table.
    Watch(const HashTable& table, uint64_t at)
        : table_(table),
          owner_(table.Owner()),
          data_(table.data_),
          size_(table.size_),
          slots_(table.slots_),
          at_(at),
          last_(table.size_ == 0 ? kNone : table.Previous(table.End())),
          key_(table.KeyAt(at_)),
          last_key_(table.KeyAt(last_)) {}

    const TVMFFIAny& key() const { return *Raw(key_); }

    // Throws if the table changed; `key` is of the type whose code ran.
    void Check(const TVMFFIAny& key) const {
      // Positions are valid only in the same block. The last key reveals removals and additions.
      const bool same = owner_.use_count() > 1 && table_.data_ == data_ && table_.size_ == size_ &&
                        table_.slots_ == slots_ && table_.HasKeyAt(at_, key_) &&
                        table_.HasKeyAt(last_, last_key_);
      if (!same) ThrowChanged(owner_, TypeName(&key));
    }

   private:
    const HashTable& table_;
    ObjectPtr<Object> owner_;
    const void* data_;
    uint64_t size_;
    uint64_t slots_;
    uint64_t at_;
    uint64_t last_;
    Any key_;
    Any last_key_;
  };

  [[noreturn]] static void ThrowChanged(const ObjectPtr<Object>& owner, const std::string& by) {
    const char* name = owner->type_index() == kTVMFFIDict ? "Dict" : "Map";
    TVM_FFI_THROW(RuntimeError) << name << ": expected a mapping that the hash and the equality of "
                                << "its keys do not modify, got one that those of " << by
                                << " modified during a lookup or an insertion";
  }

  // The Map or Dict whose header the table follows. A table without one calls no user code.
  ObjectPtr<Object> Owner() const {
    const char* head = reinterpret_cast<const char*>(this) - sizeof(Object);
    return ObjectUnsafe::PtrFromBorrowed<Object>(head);
  }
  Any KeyAt(uint64_t at) const { return at == kNone ? Any() : At(at).first; }
  // Whether `key`, which the caller owns, is at a position of a table of the same size.
  bool HasKeyAt(uint64_t at, const Any& key) const {
    if (at == kNone) return true;
    if (!IsSmall() && MarkOf(at) == kEmpty) return false;
    return std::memcmp(Raw(At(at).first), Raw(key), sizeof(TVMFFIAny)) == 0;
  }

  // Whether a type's own hash and equality belong to the runtime and call no other code.
  static bool IsHarmless(const TVMFFIAny& key) { return key.type_index == kTVMFFIBigInt; }

  TVM_FFI_COLD bool CallEqualAt(uint64_t at, const TVMFFIAny& key) const {
    if (IsHarmless(key)) return CallOwnEqual(*Raw(At(at).first), key);
    const Watch watch(*this, at);
    const bool equal = CallOwnEqual(watch.key(), key);
    watch.Check(watch.key());
    return equal;
  }
  TVM_FFI_COLD uint64_t CallHashOfNew(const TVMFFIAny& key) const {
    if (IsHarmless(key)) return CallOwnHash(key);
    const Watch watch(*this, kNone);
    const uint64_t hash = CallOwnHash(key);
    watch.Check(key);
    return hash;
  }
  TVM_FFI_COLD uint64_t CallHashAt(uint64_t at, bool* called) const {
    if (IsHarmless(*Raw(At(at).first))) return CallOwnHash(*Raw(At(at).first));
    *called = true;
    const Watch watch(*this, at);
    const uint64_t hash = CallOwnHash(watch.key());
    watch.Check(watch.key());
    return hash;
  }

  // Whether the key stored at a position is the one being looked up.
  bool IsKey(const Any& stored, uint64_t at, const TVMFFIAny& key) const {
    const Sameness same = AreSame(*Raw(stored), key);
    return same == kAsk ? CallEqualAt(at, key) : same == kYes;
  }
  // The hash of a key that is not in the table, or not known to be.
  uint64_t HashOfNew(const TVMFFIAny& key) const {
    return HashOf(key, [this](const TVMFFIAny& asked) { return CallHashOfNew(asked); });
  }
  // The hash of the key at a position; sets `called` if user code ran.
  uint64_t HashAt(uint64_t at, bool* called) const {
    return HashOf(*Raw(At(at).first),
                  [this, at, called](const TVMFFIAny&) { return CallHashAt(at, called); });
  }

  bool IsSmall() const { return (slots_ & kSmall) != 0; }
  Pair* Row() const { return static_cast<Pair*>(data_); }
  static Entry& EntryAt(void* data, uint64_t slot) {
    auto* group = static_cast<unsigned char*>(data) + slot / kGroup * kGroupBytes;
    return reinterpret_cast<Entry*>(group + kGroup)[slot % kGroup];
  }
  Entry& EntryAt(uint64_t slot) const { return EntryAt(data_, slot); }
  uint8_t& MarkOf(uint64_t slot) const {
    return (static_cast<unsigned char*>(data_) + slot / kGroup * kGroupBytes)[slot % kGroup];
  }
  uint64_t HomeOf(uint64_t hash) const { return hash * 11400714819323198485u >> dense_.shift; }
  uint64_t After(uint64_t slot, uint8_t mark) const { return (slot + Jump(mark)) & (slots_ - 1); }
  static bool Continues(uint8_t mark) { return (mark & kContinues) != 0; }

  TVM_FFI_NOINLINE uint64_t FindSmall(const TVMFFIAny& key) const {
    for (uint64_t at = 0; at < size_; ++at) {
      if (IsKey(Row()[at].first, at, key)) return at;
    }
    return size_;
  }

  TVM_FFI_NOINLINE uint64_t FindDense(const TVMFFIAny& key, uint64_t hash) const {
    uint64_t slot = HomeOf(hash);
    if (Continues(MarkOf(slot))) return kNone;
    while (!IsKey(EntryAt(slot).pair.first, slot, key)) {
      const uint8_t mark = MarkOf(slot);
      if ((mark & kJump) == 0) return kNone;
      slot = After(slot, mark);
    }
    return slot;
  }

  // Adds a key that is not in the table.
  void AddNew(Any key, Any value) {
    if (IsSmall() && size_ < kSmallMost) {
      if (size_ == (slots_ & ~kSmall)) GrowRow();
      new (Row() + size_++) Pair(std::move(key), std::move(value));
      return;
    }
    const uint64_t hash = HashOfNew(*Raw(key));
    if (IsSmall()) Rehash(kSlotsLeast);
    AddDense(hash, std::move(key), std::move(value));
  }

  void AddDense(uint64_t hash, Any key, Any value) {
    uint64_t slot = IsFull(size_ + 1, slots_) ? kNone : Take(hash);
    while (slot == kNone) {
      Rehash(slots_ * 2);
      slot = Take(hash);
    }
    new (&EntryAt(slot).pair) Pair(std::move(key), std::move(value));
    Link(slot);
  }

  // Appends the taken slot to the insertion order.
  void Link(uint64_t slot) {
    Entry& entry = EntryAt(slot);
    entry.previous = dense_.tail;
    entry.next = kNone;
    (dense_.tail == kNone ? dense_.head : EntryAt(dense_.tail).next) = slot;
    dense_.tail = slot;
    ++size_;
  }

  // Moves the row into a block with room for the maximum number of pairs in a row.
  void GrowRow() {
    void* row = ::operator new(kSmallMost * sizeof(Pair));
    std::memcpy(row, data_, size_ * sizeof(Pair));
    if (data_deleter_ != nullptr) data_deleter_(data_);
    data_ = row;
    slots_ = kSmall | kSmallMost;
    data_deleter_ = FreeBlock;
  }

  // Constructs an empty dense table.
  explicit HashTable(uint64_t slots)
      : data_(::operator new((slots + kGroup - 1) / kGroup * kGroupBytes)),
        slots_(slots),
        data_deleter_(FreeBlock),
        dense_{64, kNone, kNone} {
    for (uint64_t n = slots; n > 1; n /= 2) --dense_.shift;
    for (uint64_t at = 0; at < slots || at % kGroup != 0; ++at) MarkOf(at) = kEmpty;
  }

  // Moves all pairs into a dense table of at least `slots` slots.
  TVM_FFI_NOINLINE void Rehash(uint64_t slots) {
    for (;; slots *= 2) {
      TVM_FFI_CHECK(slots <= kSlotsMost, RuntimeError)
          << "Map: expected keys with different hashes, got " << size_ << " that do not fit into "
          << kSlotsMost << " slots";
      HashTable fresh(slots);
      if (!fresh.TakeOver(*this)) continue;
      Adopt(&fresh);
      return;
    }
  }

  // Takes over the block of a dense table, which becomes empty; the old block holds no pairs.
  void Adopt(HashTable* dense) {
    if (data_deleter_ != nullptr) data_deleter_(data_);
    data_ = dense->data_;
    size_ = dense->size_;
    slots_ = dense->slots_;
    data_deleter_ = FreeBlock;
    dense_ = dense->dense_;
    dense->data_deleter_ = nullptr;
    dense->dense_.head = kNone;
  }

  // Whether every pair of `other` found a slot. If so, the pairs now belong to this table.
  bool TakeOver(const HashTable& other) {
    // Until then, they must not be destroyed with this table.
    struct Guard {
      HashTable* table;
      ~Guard() {
        if (table != nullptr) table->dense_.head = kNone;
      }
    } guard{this};
    bool called = false;
    for (uint64_t at = other.Begin(); at != other.End(); at = other.Next(at)) {
      const uint64_t slot = Take(other.HashAt(at, &called));
      if (slot == kNone) return false;
      std::memcpy(static_cast<void*>(&EntryAt(slot).pair), &other.At(at), sizeof(Pair));
      Link(slot);
    }
    if (called) TakeAgain(other);
    guard.table = nullptr;
    return true;
  }

  // Copies the pairs again, because user code ran meanwhile and may have set values.
  TVM_FFI_COLD void TakeAgain(const HashTable& other) {
    bool same = size_ == other.size_;
    uint64_t to = dense_.head;
    for (uint64_t at = other.Begin(); same && at != other.End(); at = other.Next(at)) {
      Entry& entry = EntryAt(to);
      same = other.HasKeyAt(at, entry.pair.first);
      std::memcpy(static_cast<void*>(&entry.pair), &other.At(at), sizeof(Pair));
      to = entry.next;
    }
    if (!same) ThrowChanged(other.Owner(), "a key");
  }

  // Takes a slot for a key with the given hash, for the caller to fill; kNone if none is in reach.
  uint64_t Take(uint64_t hash) {
    const uint64_t home = HomeOf(hash);
    if (MarkOf(home) == kEmpty || (Continues(MarkOf(home)) && DriveAway(home))) {
      MarkOf(home) = 0;
      return home;
    }
    if (Continues(MarkOf(home))) return kNone;
    uint64_t last = home;
    while ((MarkOf(last) & kJump) != 0) last = After(last, MarkOf(last));
    const uint8_t jump = FreeFrom(last, nullptr, 0);
    if (jump == 0) return kNone;
    MarkOf(last) = static_cast<uint8_t>(MarkOf(last) | jump);
    const uint64_t slot = After(last, jump);
    MarkOf(slot) = kContinues;
    return slot;
  }

  // The jump from a slot to the first free slot in reach that is not in `taken`, or 0.
  uint8_t FreeFrom(uint64_t slot, const uint64_t* taken, size_t count) const {
    for (uint8_t jump = 1; jump < kJumps; ++jump) {
      const uint64_t place = After(slot, jump);
      bool is_free = MarkOf(place) == kEmpty;
      for (size_t i = 0; i < count; ++i) is_free = is_free && taken[i] != place;
      if (is_free) return jump;
    }
    return 0;
  }

  // Relocates the part of a chain that starts at `slot`. Plans first: a failure changes nothing.
  bool DriveAway(uint64_t slot) {
    constexpr size_t kMost = 32;
    uint64_t from[kMost];
    uint64_t to[kMost];
    uint8_t jumps[kMost + 1];
    const uint64_t before = BeforeInChain(slot);
    uint64_t anchor = before;
    size_t count = 0;
    for (uint64_t at = slot;; at = After(at, MarkOf(at))) {
      if (count == kMost) return false;
      jumps[count] = FreeFrom(anchor, to, count);
      if (jumps[count] == 0) return false;
      from[count] = at;
      anchor = to[count] = After(anchor, jumps[count]);
      ++count;
      if ((MarkOf(at) & kJump) == 0) break;
    }
    jumps[count] = 0;
    SetJump(before, jumps[0]);
    for (size_t i = 0; i < count; ++i) {
      Relocate(from[i], to[i]);
      MarkOf(to[i]) = static_cast<uint8_t>(kContinues | jumps[i + 1]);
      MarkOf(from[i]) = kEmpty;
    }
    return true;
  }

  void SetJump(uint64_t slot, uint8_t jump) {
    MarkOf(slot) = static_cast<uint8_t>((MarkOf(slot) & kContinues) | jump);
  }

  // The slot before one that continues a chain: the only one whose jump leads to it. The hash of
  // the key would also find it, but may run user code.
  uint64_t BeforeInChain(uint64_t slot) const {
    for (uint8_t jump = 1;; ++jump) {
      const uint64_t before = (slot - Jump(jump)) & (slots_ - 1);
      if ((MarkOf(before) & kJump) == jump) return before;
    }
  }

  // Moves an entry, keeping its position in the insertion order.
  void Relocate(uint64_t from, uint64_t to) {
    Entry& entry = EntryAt(from);
    (entry.previous == kNone ? dense_.head : EntryAt(entry.previous).next) = to;
    (entry.next == kNone ? dense_.tail : EntryAt(entry.next).previous) = to;
    std::memcpy(static_cast<void*>(&EntryAt(to)), &entry, sizeof(Entry));
  }

  void EraseDense(uint64_t slot) {
    // The last slot of the chain fills the hole.
    uint64_t last = slot;
    uint64_t before = kNone;
    while ((MarkOf(last) & kJump) != 0) {
      before = last;
      last = After(last, MarkOf(last));
    }
    if (before == kNone && Continues(MarkOf(slot))) before = BeforeInChain(slot);
    Entry& entry = EntryAt(slot);
    const Pair gone = std::move(entry.pair);
    entry.pair.~Pair();
    (entry.previous == kNone ? dense_.head : EntryAt(entry.previous).next) = entry.next;
    (entry.next == kNone ? dense_.tail : EntryAt(entry.next).previous) = entry.previous;
    --size_;
    if (last != slot) Relocate(last, slot);
    if (before != kNone) SetJump(before, 0);
    MarkOf(last) = kEmpty;
  }

  void* data_;
  uint64_t size_{0};
  uint64_t slots_;                        // The top bit marks a small table.
  void (*data_deleter_)(void*){nullptr};  // NULL for pairs in the object itself.
  union {
    Dense dense_;
    alignas(Pair) unsigned char in_place_[kInPlace * sizeof(Pair)];
  };

  static_assert(sizeof(Entry) == 48, "an entry is laid out as it was observed");
};

static_assert(sizeof(HashTable) == 96, "the table is laid out as it was observed");

}  // namespace detail

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_CONTAINER_HASH_TABLE_H_
