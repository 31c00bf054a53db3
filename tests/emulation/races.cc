// SPDX-License-Identifier: Apache-2.0
// Tracks who last accessed each byte of memory, and whether the next access is ordered after it.
#include "races.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emulation::races {

__thread Running running;
bool reporting = false;

namespace {

struct Past {
  Tag tag;
  int32_t from = 0;  // its code address, relative to kBase
};

// The history of a few bytes that have always been accessed together. Of the unordered reads, three
// are kept, so some races are missed. Of the atomic operations, the last is kept: earlier ones on
// the same memory are ordered before it, which counting finished blocks relies on.
struct Cell {
  Past write;
  Past atomic;
  std::array<Past, 3> reads;
};

// The cells of 16 bytes: as few as the accesses so far allow.
struct Line {
  Cell* cells = nullptr;
  size_t bytes = 0;  // of each cell
};

constexpr uintptr_t kLineBytes = 16;
constexpr uintptr_t kPageBytes = 4096;
constexpr size_t kMostPages = 1 << 14;  // kept for the next launch

struct Page {
  uint64_t launch = 0;  // the launch that its lines belong to
  std::array<Line, kPageBytes / kLineBytes> lines;
};

// Cells live until the next launch.
class Arena {
 public:
  Cell* take(size_t count) {
    if (used_ + count > kChunk) {
      ++chunk_;
      used_ = 0;
    }
    if (chunk_ == chunks_.size()) chunks_.push_back(std::make_unique<Cell[]>(kChunk));
    Cell* cells = &chunks_[chunk_][used_];
    std::fill(cells, cells + count, Cell());
    used_ += count;
    return cells;
  }
  bool full() const { return chunk_ >= kMost; }
  void clear() {
    chunks_.resize(std::min(chunks_.size(), kKept));
    chunk_ = used_ = 0;
  }

 private:
  static constexpr size_t kChunk = 4096;
  static constexpr size_t kMost = 1024;  // 256 MB
  static constexpr size_t kKept = 64;
  std::vector<std::unique_ptr<Cell[]>> chunks_;
  size_t chunk_ = 0;
  size_t used_ = 0;
};

struct Found {
  Tag tag;
  Kind kind;
  size_t bytes;
  const void* from;
  Tag earlier;
  Kind earlier_kind;
  const void* earlier_from;
  uintptr_t memory;
  bool both_change = false;  // the thread writes the same memory after its read
};

// Memory around a tensor passed in by the caller.
struct Outside {
  uintptr_t end;
  const char* where;
};

struct State {
  const char* kernel;
  dim3 grid;
  uint64_t launch = 0;
  bool found_any = false;
  Found found;
  Arena arena;
  std::unordered_map<uintptr_t, Page> pages;
  std::array<std::pair<uintptr_t, Page*>, 64> recent = {};            // recently used pages
  std::unordered_map<const void*, Knowledge> released;                // through atomic operations
  std::map<std::pair<const void*, uint32_t>, Knowledge> released_in;  // the same within a block
  std::map<uintptr_t, Outside> outside;                               // by start address
  const char* strayed = nullptr;  // where the first such access was
};

State state;
const char* const kBase = reinterpret_cast<const char*>(&Begin);

Page& PageOf(uintptr_t at) {
  const uintptr_t number = at / kPageBytes;
  auto& [recent, page] = state.recent[number % state.recent.size()];
  if (recent != number || page == nullptr) {
    recent = number;
    page = &state.pages[number];
  }
  if (page->launch != state.launch) {
    page->lines.fill(Line());
    page->launch = state.launch;
  }
  return *page;
}

// Divides a line into cells of at most `bytes` bytes.
void Divide(Line* line, size_t bytes) {
  if (line->cells != nullptr && line->bytes <= bytes) return;
  Cell* cells = state.arena.take(kLineBytes / bytes);
  if (line->cells != nullptr) {
    for (size_t i = 0; i < kLineBytes / bytes; ++i) cells[i] = line->cells[i * bytes / line->bytes];
  }
  *line = {cells, bytes};
}

void Keep(std::array<Past, 3>* reads, const Past& read, const Clocks& clocks, uint32_t thread) {
  size_t kept = 0;
  for (const Past& old : *reads) {
    if (old.tag && !clocks.before(old.tag, thread)) (*reads)[kept++] = old;
  }
  if (kept < reads->size()) {
    (*reads)[kept++] = read;
    std::fill(reads->begin() + kept, reads->end(), Past());
    return;
  }
  // A read by another warp is worth more than a third by one warp, whose lanes are often ordered.
  const uint64_t warp = (*reads)[0].tag.warp();
  if ((*reads)[1].tag.warp() == warp && (*reads)[2].tag.warp() == warp) (*reads)[2] = read;
}

// Compares an access with an earlier one, and records the first unordered pair.
void Compare(const Past& old, Kind old_kind, const Past& now, Kind kind, size_t bytes) {
  if (!old.tag || running.clocks->before(old.tag, running.thread)) return;
  state.found_any = true;
  state.found = {now.tag, kind, bytes, kBase + now.from, old.tag, old_kind, kBase + old.from};
}

void Check(Cell* cell, const Past& now, Kind kind, size_t bytes) {
  if (kind == Kind::kWrite ? cell->write.tag == now.tag && !cell->atomic.tag && !cell->reads[0].tag
                           : kind == Kind::kRead && cell->reads[0].tag == now.tag)
    return;
  Compare(cell->write, Kind::kWrite, now, kind, bytes);
  if (kind != Kind::kAtomic) Compare(cell->atomic, Kind::kAtomic, now, kind, bytes);
  if (kind == Kind::kRead) {
    Keep(&cell->reads, now, *running.clocks, running.thread);
    return;
  }
  for (const Past& read : cell->reads) Compare(read, Kind::kRead, now, kind, bytes);
  cell->reads.fill(Past());
  if (kind == Kind::kWrite) cell->atomic = Past();
  (kind == Kind::kWrite ? cell->write : cell->atomic) = now;
}

// An atomic operation acquires what earlier ones on the same memory have released, then releases.
void Meet(const void* memory) {
  Clocks* clocks = running.clocks;
  const uint32_t thread = running.thread;
  const auto meet = [=](auto* released, const auto& key, Scope scope) {
    const auto earlier = released->find(key);
    if (earlier != released->end()) clocks->acquire(thread, earlier->second);
    if (clocks->may_release(thread, scope)) clocks->release(thread, scope, &(*released)[key]);
  };
  meet(&state.released, memory, Scope::kDevice);
  meet(&state.released_in, std::pair(memory, clocks->block()), Scope::kBlock);
}

// "path/to/kernel.cu:12" becomes " at kernel.cu:12"; emulation code is skipped.
std::string Place(const void* from) {
  Dl_info info;
  if (dladdr(from, &info) == 0) return "";
  const auto offset = static_cast<const char*>(from) - static_cast<const char*>(info.dli_fbase) - 1;
  std::ostringstream command;
  command << "addr2line -i -e '" << info.dli_fname << "' " << std::hex << offset << " 2>/dev/null";
  std::unique_ptr<FILE, int (*)(FILE*)> said(popen(command.str().c_str(), "r"), &pclose);
  char line[4096];
  while (said && std::fgets(line, sizeof(line), said.get()) != nullptr) {
    std::string place = line;
    place = place.substr(place.rfind('/') + 1);
    place = place.substr(0, place.find_first_of(" \n"));
    if (place.find('?') == std::string::npos && place.rfind("cuda_on_cpu.h", 0) != 0)
      return " at " + place;
  }
  return "";
}

std::string Thread(Tag tag) {
  const dim3 grid = state.grid;
  const uint32_t block = tag.block();
  std::ostringstream words;
  words << "block (" << block % grid.x << ", " << block / grid.x % grid.y << ", "
        << block / grid.x / grid.y << "), thread " << tag.thread();
  return words.str();
}

// How to fix a race within a block. Atomic operations do not help a thread that only reads what
// another one modifies.
const char* Advice(const Found& found) {
  const bool only_read =
      found.earlier_kind == Kind::kRead || (found.kind == Kind::kRead && !found.both_change);
  const bool any_atomic = found.kind == Kind::kAtomic || found.earlier_kind == Kind::kAtomic;
  return only_read && !any_atomic ? "a barrier between them"
                                  : "a barrier between them, or atomic operations";
}

// Whether an access is outside the caller's tensors; if so, records it.
bool Strays(uintptr_t at, size_t size, Kind kind, const void* from) {
  auto next = state.outside.upper_bound(at + size - 1);
  if (next == state.outside.begin() || (--next)->second.end <= at) return false;
  state.found_any = true;
  state.found = {running.clocks->now(running.thread), kind, size, from};
  state.strayed = next->second.where;
  return true;
}

}  // namespace

bool Watching() { return reporting && !state.found_any && !state.arena.full(); }

void Begin(const char* kernel, dim3 grid) {
  state.kernel = kernel;
  state.grid = grid;
  state.found_any = false;
  state.strayed = nullptr;
  ++state.launch;
  state.arena.clear();
  state.released.clear();
  state.released_in.clear();
  if (state.pages.size() > kMostPages) {
    state.pages.clear();
    state.recent = {};
  }
}

std::string End() {
  if (!state.found_any) return "";
  const Found& found = state.found;
  const char* now[] = {"reads", "writes", "changes atomically"};
  const char* earlier[] = {"read", "wrote", "changed atomically"};
  const bool one_block = found.tag.block() == found.earlier.block();
  std::ostringstream words;
  words << (state.strayed ? "stray access in " : "race in ") << state.kernel << ": "
        << Thread(found.tag) << " " << now[static_cast<int>(found.kind)] << " " << found.bytes
        << (found.bytes == 1 ? " byte" : " bytes") << Place(found.from);
  if (state.strayed) {
    words << ", " << state.strayed << " a tensor";
    return words.str();
  }
  words << " that " << Thread(found.earlier) << " " << earlier[static_cast<int>(found.earlier_kind)]
        << Place(found.earlier_from) << "; expected "
        << (one_block ? Advice(found) : "atomic operations, since no barrier orders two blocks");
  return words.str();
}

void Forget(const void* at, size_t size) {
  if (!reporting) return;
  const auto first = reinterpret_cast<uintptr_t>(at);
  for (uintptr_t line = first / kLineBytes * kLineBytes; line < first + size; line += kLineBytes) {
    Line& known = PageOf(line).lines[line % kPageBytes / kLineBytes];
    if (known.cells != nullptr) std::fill_n(known.cells, kLineBytes / known.bytes, Cell());
  }
}

void Access(const void* memory, size_t size, Kind kind, const void* from) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  if (at - running.stack < running.stack_bytes) return;
  if (kind == Kind::kRead && running.discards) return;
  running.discards = false;
  if (!Watching()) {
    const bool goes_on = state.found_any && !state.strayed && state.found.kind == Kind::kRead &&
                         state.found.tag == running.clocks->now(running.thread);
    if (!goes_on) running.clocks = nullptr;
    if (goes_on && kind == Kind::kWrite && at == state.found.memory) state.found.both_change = true;
    return;
  }
  if (!state.outside.empty() && Strays(at, size, kind, from)) return;
  if (kind == Kind::kAtomic) Meet(memory);
  const auto place = static_cast<const char*>(from) - kBase;
  const Past now = {running.clocks->now(running.thread), static_cast<int32_t>(place)};
  for (uintptr_t next = at; next < at + size;) {
    const uintptr_t start = next / kLineBytes * kLineBytes;
    const uintptr_t begin = next - start;
    const uintptr_t end = std::min(at + size - start, kLineBytes);
    Line& line = PageOf(start).lines[start % kPageBytes / kLineBytes];
    const uintptr_t marks = begin | end | kLineBytes;
    Divide(&line, marks & -marks);
    for (uintptr_t byte = begin; byte < end; byte += line.bytes)
      Check(&line.cells[byte / line.bytes], now, kind, size);
    next = start + end;
  }
  if (state.found_any) state.found.memory = at;
}

void Surround(const void* memory, size_t size, size_t around) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  state.outside[at - around] = {at, "before the beginning of"};
  state.outside[at + size] = {at + size + around, "beyond the end of"};
}

void ForgetSurroundings() { state.outside.clear(); }

}  // namespace emulation::races
