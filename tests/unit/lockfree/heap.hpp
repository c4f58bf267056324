// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A memory source for tests: counts what is out, and can run dry.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "lockfree/caller.hpp"

namespace weft::test {

class heap {
 public:
  rt::memory_source source() { return {take, give, this}; }
  std::size_t bytes_out() const { return bytes_out_; }
  void run_dry(bool dry) { dry_ = dry; }

 private:
  static void* take(void* self, std::size_t bytes) {
    auto* h = static_cast<heap*>(self);
    if (h->dry_) return nullptr;
    h->bytes_out_ += bytes;
    return std::malloc(bytes);
  }
  static void give(void* self, void* memory, std::size_t bytes) {
    static_cast<heap*>(self)->bytes_out_ -= bytes;
    std::free(memory);
  }

  std::size_t bytes_out_ = 0;
  bool dry_ = false;
};

}  // namespace weft::test
