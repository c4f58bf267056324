// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The last block of memory that one owner gave back, for when it asks for as much again.
#pragma once

#include <cstddef>

#include "arch/fiber_notes.hpp"
#include "base/owned.hpp"
#include "mem/raw.hpp"

namespace weft::rt {

class spare_block {
 public:
  spare_block() = default;
  ~spare_block() { raw_free(memory_.get(), bytes_.get()); }
  spare_block(const spare_block&) = delete;
  spare_block& operator=(const spare_block&) = delete;

  // As raw_alloc and raw_free, by the owner alone.
  [[nodiscard]] void* take(std::size_t bytes) noexcept {
    void* const memory = memory_.get();
    if (memory == nullptr || bytes_.get() != bytes) return raw_alloc(bytes);
    memory_.set(nullptr);
    notes::forget(memory, static_cast<std::byte*>(memory) + bytes);  // another task wrote it last
    return memory;
  }
  void give(void* memory, std::size_t bytes) noexcept {
    raw_free(memory_.get(), bytes_.get());
    memory_.set(memory);
    bytes_.set(bytes);
  }

 private:
  owned<void*> memory_{nullptr};
  owned<std::size_t> bytes_{0};
};

}  // namespace weft::rt
