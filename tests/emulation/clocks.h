// SPDX-License-Identifier: Apache-2.0
// Which accesses of a running kernel happen before which. There is no time here: only barriers,
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

/*! \brief When a thread accessed memory: by its own clock, which each synchronization advances. */
struct Tag {
  uint64_t bits = 0;  // 32 of the block, 10 of the thread, 22 of the clock, which is never 0

  Tag() = default;
  Tag(uint32_t block, uint32_t thread, uint32_t clock)
      : bits(uint64_t{block} << 32 | thread << 22 | clock) {}
  explicit operator bool() const { return bits != 0; }
  bool operator==(Tag other) const { return bits == other.bits; }
  uint32_t block() const { return static_cast<uint32_t>(bits >> 32); }
  uint32_t thread() const { return bits >> 22 & 1023; }
  uint32_t clock() const { return bits & ((1u << 22) - 1); }
  uint64_t warp() const { return bits >> 27; }  // unlike that of any other warp of the grid
};

/*! \brief For threads of other blocks, the clocks up to which their accesses are visible. */
using OfBlocks = std::map<uint32_t, std::shared_ptr<const std::vector<uint32_t>>>;
using Knowledge = std::shared_ptr<const OfBlocks>;

/*! \brief Who is sure to see what a fence covers: threads of the same block, or all. */
enum class Scope { kBlock, kDevice };

/*! \brief The clocks of a block's threads, and what each thread knows of the others'. */
class Clocks {
 public:
  Clocks(uint32_t block, size_t threads);

  Tag now(uint32_t thread) const { return Tag(block_, thread, threads_[thread].clock); }
  /*! \brief Whether an access is ordered before what the thread does now. */
  bool before(Tag tag, uint32_t thread) const;
  /*! \brief All threads of the block meet. */
  void barrier();
  /*! \brief Lanes of the warp that begins with the thread `first` meet at __syncwarp(). */
  void sync_warp(uint32_t first, uint32_t mask);
  /*! \brief A fence: what the thread knows may be released, what it saw is acquired. */
  void fence(uint32_t thread, Scope scope);
  /*! \brief Whether a fence of the thread, or one before the last barrier, covers anything. */
  bool may_release(uint32_t thread, Scope scope) const {
    const auto at = static_cast<size_t>(scope);
    return of_block_[at].any || threads_[thread].fences[at].clock != 0;
  }
  /*! \brief The thread sees what others have released; a fence after that makes it visible. */
  void acquire(uint32_t thread, const Knowledge& seen);
  /*! \brief Adds what fences of the thread, or fences before the last barrier, cover. */
  void release(uint32_t thread, Scope scope, Knowledge* to) const;
  uint32_t block() const { return block_; }

 private:
  static constexpr size_t kScopes = 2;

  // The last fence of a thread.
  struct Fence {
    uint32_t clock = 0;
    bool here = false;           // since the block's last barrier
    std::vector<uint32_t> warp;  // that of the thread, as of the fence
  };
  struct Thread {
    uint32_t clock = 1;
    std::vector<uint32_t> warp;  // clocks of the lanes as of the last __syncwarp(), if any
    std::array<Fence, kScopes> fences;
    Knowledge seen;   // by atomic operations
    Knowledge known;  // by a fence after them
  };
  // What fences before the block's last barrier cover.
  struct Fenced {
    std::vector<uint32_t> clocks;  // as at_barrier_
    bool any = false;
  };

  uint32_t block_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> at_barrier_;  // each thread's clock as of the last barrier
  std::array<Fenced, kScopes> of_block_;
};

}  // namespace emulation

#endif  // TESTS_EMULATION_CLOCKS_H_
