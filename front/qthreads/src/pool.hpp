// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of equal blocks: a list for each worker, a shared one behind them, memory that is kept
// until the end.
//
// A worker's list is touched by the code that runs on that worker alone, between two points where
// it could be switched away from, so it needs no lock. Threads outside, and all threads under the
// thread sanitizer (which takes each task for a thread), use the shared list under its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include <weft/cpp/sanitizer.hpp>

#include "current.hpp"

namespace weft::qt {

class block_pool {
 public:
  // align: a power of two.
  constexpr block_pool(std::size_t block_bytes, std::size_t align) noexcept
      : bytes_(round_up(block_bytes < sizeof(link) ? sizeof(link) : block_bytes, most(align))),
        align_(most(align)) {}
  ~block_pool();
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;

  // Null: no memory. The content is undefined.
  void* alloc() noexcept {
    list* const l = mine();
    if (l == nullptr || l->first == nullptr) [[unlikely]]
      return alloc_slow(l);
    link* const block = l->first;
    l->first = block->next;
    --l->count;
    return block;
  }
  void free(void* memory) noexcept {
    auto* const block = static_cast<link*>(memory);
    list* const l = mine();
    if (l == nullptr) [[unlikely]]
      return free_outside(block);
    block->next = l->first;
    l->first = block;
    if (++l->count >= 2 * batch_size) [[unlikely]]
      spill(*l);
  }

  // Around a fork of the process: the child finds the shared list whole.
  void hold() noexcept { lock_.lock(); }
  void let_go() noexcept { lock_.unlock(); }

 private:
  struct link {
    link* next;
  };
  static constexpr std::size_t most(std::size_t align) noexcept {
    return align < alignof(link) ? alignof(link) : align;
  }
  static constexpr std::size_t round_up(std::size_t n, std::size_t to) noexcept {
    return (n + to - 1) / to * to;
  }
  struct alignas(64) list {
    link* first = nullptr;
    uint32_t count = 0;
  };
  struct chunk {
    chunk* next;
  };
  static constexpr uint32_t lists = 64;       // a worker above that uses the shared list
  static constexpr uint32_t batch_size = 32;  // a list holds two of them at most

  list* mine() noexcept {
    if constexpr (weft::detail::thread_sanitizer) return nullptr;
    const uint32_t worker = worker_index();
    return worker < lists ? &of_worker_[worker] : nullptr;
  }
  void* alloc_slow(list* mine) noexcept;
  void free_outside(link* block) noexcept;
  bool refill(list& to) noexcept;
  void spill(list& from) noexcept;
  link* carve() noexcept;  // under the lock

  const std::size_t bytes_;
  const std::size_t align_;
  list of_worker_[lists];
  std::mutex lock_;
  list shared_;
  chunk* chunks_ = nullptr;
  std::byte* fresh_ = nullptr;
  std::byte* fresh_end_ = nullptr;
};

}  // namespace weft::qt
