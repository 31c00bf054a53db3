// SPDX-License-Identifier: Apache-2.0
// Vector clocks with few entries: a barrier has one for the whole block, a warp has 32, and other
// blocks are known only through fences and atomic operations, which are rare.
#include "clocks.h"

#include <algorithm>

namespace emulation {
namespace {

void Raise(std::vector<uint32_t>* to, const std::vector<uint32_t>& from) {
  if (to->size() < from.size()) to->resize(from.size());
  for (size_t i = 0; i < from.size(); ++i) (*to)[i] = std::max((*to)[i], from[i]);
}

// The same for the clocks of a thread's warp.
void RaiseWarp(size_t thread, const std::vector<uint32_t>& from, std::vector<uint32_t>* to) {
  uint32_t* first = to->data() + thread / 32 * 32;
  for (size_t lane = 0; lane < from.size(); ++lane) first[lane] = std::max(first[lane], from[lane]);
}

Knowledge Join(const Knowledge& a, const Knowledge& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto both = std::make_shared<OfBlocks>(*a);
  for (const auto& [block, clocks] : *b) {
    auto& known = (*both)[block];
    if (!known || known == clocks) {
      known = clocks;
    } else {
      auto raised = std::make_shared<std::vector<uint32_t>>(*known);
      Raise(raised.get(), *clocks);
      known = std::move(raised);
    }
  }
  return both;
}

}  // namespace

Clocks::Clocks(uint32_t block, size_t threads)
    : block_(block), threads_(threads), at_barrier_(threads) {
  for (Fenced& fenced : of_block_) fenced.clocks.resize(threads);
}

bool Clocks::before(Tag tag, uint32_t thread) const {
  const uint32_t other = tag.thread();
  const Thread& own = threads_[thread];
  if (tag.block() == block_) {
    if (other == thread || tag.clock() <= at_barrier_[other]) return true;
    const bool same_warp = other / 32 == thread / 32 && !own.warp.empty();
    if (same_warp && tag.clock() <= own.warp[other % 32]) return true;
  }
  if (!own.known) return false;
  const auto found = own.known->find(tag.block());
  return found != own.known->end() && tag.clock() <= (*found->second)[other];
}

void Clocks::barrier() {
  Knowledge seen;
  Knowledge known;
  for (size_t scope = 0; scope < kScopes; ++scope) {
    Fenced& fenced = of_block_[scope];
    const bool any = std::any_of(threads_.begin(), threads_.end(),
                                 [=](const Thread& thread) { return thread.fences[scope].here; });
    if (any) Raise(&fenced.clocks, at_barrier_);
    fenced.any = fenced.any || any;
    for (size_t i = 0; i < threads_.size(); ++i) {
      Fence& fence = threads_[i].fences[scope];
      fenced.clocks[i] = std::max(fenced.clocks[i], fence.clock);
      RaiseWarp(i, fence.warp, &fenced.clocks);
      fence.here = false;
    }
  }
  for (const Thread& thread : threads_) {
    seen = Join(seen, thread.seen);
    known = Join(known, thread.known);
  }
  for (size_t i = 0; i < threads_.size(); ++i) {
    Thread& thread = threads_[i];
    at_barrier_[i] = thread.clock++;
    thread.seen = seen;
    thread.known = known;
  }
}

void Clocks::sync_warp(uint32_t first, uint32_t mask) {
  std::vector<uint32_t> clocks(std::min<size_t>(32, threads_.size() - first));
  Knowledge seen;
  Knowledge known;
  auto each_lane = [&](auto body) {
    for (size_t lane = 0; lane < clocks.size(); ++lane) {
      if ((mask >> lane & 1u) != 0) body(lane, &threads_[first + lane]);
    }
  };
  each_lane([&](size_t lane, Thread* thread) {
    Raise(&clocks, thread->warp);
    clocks[lane] = std::max(clocks[lane], thread->clock++);
    seen = Join(seen, thread->seen);
    known = Join(known, thread->known);
  });
  each_lane([&](size_t, Thread* thread) {
    thread->warp = clocks;
    thread->seen = seen;
    thread->known = known;
  });
}

void Clocks::fence(uint32_t thread, Scope scope) {
  Thread& own = threads_[thread];
  own.fences[static_cast<size_t>(scope)] = {own.clock++, true, own.warp};
  own.known = Join(own.known, own.seen);
}

void Clocks::acquire(uint32_t thread, const Knowledge& seen) {
  threads_[thread].seen = Join(threads_[thread].seen, seen);
}

void Clocks::release(uint32_t thread, Scope scope, Knowledge* to) const {
  const auto at = static_cast<size_t>(scope);
  const Thread& own = threads_[thread];
  const Fence& fence = own.fences[at];
  std::vector<uint32_t> clocks = of_block_[at].clocks;
  if (fence.here) Raise(&clocks, at_barrier_);
  RaiseWarp(thread, fence.warp, &clocks);
  clocks[thread] = std::max(clocks[thread], fence.clock);
  auto released = std::make_shared<OfBlocks>();
  (*released)[block_] = std::make_shared<const std::vector<uint32_t>>(std::move(clocks));
  *to = Join(Join(*to, own.known), released);
}

}  // namespace emulation
