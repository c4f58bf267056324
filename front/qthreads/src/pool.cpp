// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of equal blocks: a list for each worker, a shared one behind them; and the C functions of
// qpool.h.
#include "pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <qthread/qpool.h>

#include "fork_handlers.hpp"

namespace weft::qt {

namespace {

constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

}  // namespace

block_pool::~block_pool() {
  while (chunks_ != nullptr) {
    chunk* next = chunks_->next;
    std::free(chunks_);
    chunks_ = next;
  }
}

block_pool::link* block_pool::carve() noexcept {
  if (fresh_ == fresh_end_) {
    const std::size_t head = round_up(sizeof(chunk), align_);
    const std::size_t room = head < chunk_bytes ? chunk_bytes - head : 0;
    const std::size_t blocks = std::max<std::size_t>(8, room / bytes_);
    const std::size_t size = round_up(head + blocks * bytes_, align_);
    auto* made = static_cast<chunk*>(std::aligned_alloc(align_, size));
    if (made == nullptr) return nullptr;
    made->next = chunks_;
    chunks_ = made;
    fresh_ = reinterpret_cast<std::byte*>(made) + head;
    fresh_end_ = fresh_ + blocks * bytes_;
  }
  auto* block = reinterpret_cast<link*>(fresh_);
  fresh_ += bytes_;
  return block;
}

bool block_pool::refill(list& to) noexcept {
  const std::lock_guard held(lock_);
  while (to.count < batch_size) {
    link* block = shared_.first;
    if (block != nullptr) {
      shared_.first = block->next;
      --shared_.count;
    } else {
      block = carve();
      if (block == nullptr) break;
    }
    block->next = to.first;
    to.first = block;
    ++to.count;
  }
  return to.count != 0;
}

void block_pool::spill(list& from) noexcept {
  const std::lock_guard held(lock_);
  link* const first = from.first;
  link* last = first;
  for (uint32_t i = 1; i < batch_size; ++i) last = last->next;
  from.first = last->next;
  from.count -= batch_size;
  last->next = shared_.first;
  shared_.first = first;
  shared_.count += batch_size;
}

void* block_pool::alloc_slow(list* mine) noexcept {
  if (mine != nullptr) return refill(*mine) ? alloc() : nullptr;
  const std::lock_guard held(lock_);
  link* block = shared_.first;
  if (block == nullptr) return carve();
  shared_.first = block->next;
  --shared_.count;
  return block;
}

void block_pool::free_outside(link* block) noexcept {
  const std::lock_guard held(lock_);
  block->next = shared_.first;
  shared_.first = block;
  ++shared_.count;
}

}  // namespace weft::qt

struct qt_mpool_s {
  weft::qt::block_pool blocks;
  qt_mpool_s* next = nullptr;  // of all
};

namespace weft::qt {

namespace {

std::mutex all_lock;
qt_mpool_s* all = nullptr;

qpool* add(qt_mpool_s* pool) noexcept {
  if (pool == nullptr) return nullptr;
  const std::lock_guard held(all_lock);
  pool->next = all;
  all = pool;
  return pool;
}

void remove(const qt_mpool_s* pool) noexcept {
  const std::lock_guard held(all_lock);
  qt_mpool_s** at = &all;
  while (*at != pool) at = &(*at)->next;
  *at = pool->next;
}

// Who forks the process has all locks, as it has that of the records' pool (start.cpp).
void hold_all() noexcept {
  all_lock.lock();
  for (qt_mpool_s* p = all; p != nullptr; p = p->next) p->blocks.hold();
}

void let_all_go() noexcept {
  for (qt_mpool_s* p = all; p != nullptr; p = p->next) p->blocks.let_go();
  all_lock.unlock();
}

constinit fork_handlers<hold_all, let_all_go, let_all_go> at_fork;

}  // namespace

}  // namespace weft::qt

qpool* qpool_create_aligned(size_t const item_size, size_t const alignment) {
  const std::size_t align = alignment == 0 ? alignof(std::max_align_t) : alignment;
  constexpr std::size_t most =
      SIZE_MAX / 64;  // some blocks and their alignment can be counted in bytes
  if (item_size > most || align > most || (align & (align - 1)) != 0) return nullptr;
  if (!weft::qt::at_fork.are_registered()) return nullptr;
  const std::size_t bytes = std::max<std::size_t>(1, item_size);
  return weft::qt::add(new (std::nothrow) qt_mpool_s{{bytes, align}});
}

qpool* qpool_create(size_t const item_size) { return qpool_create_aligned(item_size, 0); }

void* qpool_alloc(qpool* pool) { return pool != nullptr ? pool->blocks.alloc() : nullptr; }

void qpool_free(qpool* pool, void* mem) {
  if (pool != nullptr && mem != nullptr) pool->blocks.free(mem);
}

void qpool_destroy(qpool* pool) {
  if (pool == nullptr) return;
  weft::qt::remove(pool);
  delete pool;
}
