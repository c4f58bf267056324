// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pool of equal blocks: a list for each worker, a shared one behind them, memory that is kept until the end.
//
// A worker's list is touched by the code that runs on that worker alone, between two points where it
// could be switched away from, so it needs no lock. Threads outside, and all threads under the thread
// sanitizer (which takes each task for a thread), use the shared list under its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

namespace weft::qt {

class block_pool {
 public:
  // align: a power of two.
  block_pool(std::size_t block_bytes, std::size_t align) noexcept;
  ~block_pool();
  block_pool(const block_pool&) = delete;
  block_pool& operator=(const block_pool&) = delete;

  // Null: no memory. The content is undefined.
  void* alloc() noexcept;
  void free(void* block) noexcept;

 private:
  struct link {
    link* next;
  };
  struct alignas(64) list {
    link* first = nullptr;
    uint32_t count = 0;
  };
  struct chunk {
    chunk* next;
  };
  static constexpr uint32_t lists = 64;       // a worker above that uses the shared list
  static constexpr uint32_t batch_size = 32;  // a list holds two of them at most

  list* mine() noexcept;
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
