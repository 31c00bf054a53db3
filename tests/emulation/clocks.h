// SPDX-License-Identifier: Apache-2.0
// The happens-before order of a running kernel's accesses. Time plays no role: only barriers,
// __syncwarp(), and fences with atomic operations order the accesses of two threads.
#ifndef TESTS_EMULATION_CLOCKS_H_
#define TESTS_EMULATION_CLOCKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace emulation {

/*! \brief When a thread accessed memory, by its own clock, which each synchronization advances. */
struct Tag {
  uint64_t bits = 0;  // 32 for the block, 10 for the thread, 22 for the clock, which is never 0

  Tag() = default;
  Tag(uint32_t block, uint32_t thread, uint32_t clock)
      : bits(uint64_t{block} << 32 | thread << 22 | clock) {}
  explicit operator bool() const { return bits != 0; }
  bool operator==(Tag other) const { return bits == other.bits; }
  uint32_t block() const { return static_cast<uint32_t>(bits >> 32); }
  uint32_t thread() const { return bits >> 22 & 1023; }
  uint32_t clock() const { return bits & ((1u << 22) - 1); }
  uint64_t warp() const { return bits >> 27; }  // unique within the grid
};

/*! \brief For threads of other blocks, the clocks up to which their accesses are visible. */
using OfBlocks = std::map<uint32_t, std::shared_ptr<const std::vector<uint32_t>>>;
using Knowledge = std::shared_ptr<const OfBlocks>;

/*! \brief To whom a fence guarantees visibility: threads of the same block, or all threads. */
enum class Scope { kBlock, kDevice };

/*! \brief The clocks of a block's threads, and what each thread knows about the others'. */
class Clocks {
 public:
  Clocks(uint32_t block, size_t threads);

  Tag now(uint32_t thread) const { return Tag(block_, thread, threads_[thread].clock); }
  /*! \brief Whether an access is ordered before the thread's current operation. */
  bool before(Tag tag, uint32_t thread) const;
  /*! \brief All threads of the block meet. */
  void barrier();
  /*! \brief Lanes of the warp whose first thread is `first` meet at __syncwarp(). */
  void sync_warp(uint32_t first, uint32_t mask);
  /*! \brief A fence: the thread may release what it knows, and acquires what it saw. */
  void fence(uint32_t thread, Scope scope);
  /*! \brief Whether the thread's fences, or fences before the last barrier, cover anything. */
  bool may_release(uint32_t thread, Scope scope) const {
    const auto at = static_cast<size_t>(scope);
    return of_block_[at].any || threads_[thread].fences[at].clock != 0;
  }
  /*! \brief The thread sees what others have released; a later fence makes it visible. */
  void acquire(uint32_t thread, const Knowledge& seen);
  /*! \brief Adds what the thread's fences, or fences before the last barrier, cover. */
  void release(uint32_t thread, Scope scope, Knowledge* to) const;
  uint32_t block() const { return block_; }

 private:
  static constexpr size_t kScopes = 2;

  // The last fence of a thread.
  struct Fence {
    uint32_t clock = 0;
    bool here = false;           // since the block's last barrier
    std::vector<uint32_t> warp;  // the thread's warp clocks, as of the fence
  };
  struct Thread {
    uint32_t clock = 1;
    std::vector<uint32_t> warp;  // clocks of the lanes as of the last __syncwarp(), if any
    std::array<Fence, kScopes> fences;
    Knowledge seen;   // through atomic operations
    Knowledge known;  // through a subsequent fence
  };
  // The clocks covered by fences before the block's last barrier.
  struct Fenced {
    std::vector<uint32_t> clocks;  // like at_barrier_
    bool any = false;
  };

  uint32_t block_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> at_barrier_;  // each thread's clock as of the last barrier
  std::array<Fenced, kScopes> of_block_;
};

}  // namespace emulation

#endif  // TESTS_EMULATION_CLOCKS_H_
