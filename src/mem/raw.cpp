// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small pieces from the C++ heap, large ones as pages of their own.
#include "mem/raw.hpp"

#include <cstddef>
#include <cstdint>
#include <new>

#include "arch/fiber_notes.hpp"
#include "base/attributes.hpp"
#include "os/memory.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t own_pages_from = std::size_t{64} << 10;

std::size_t whole_pages(std::size_t bytes) noexcept {
  const std::size_t page = os::page_bytes();
  return (bytes + page - 1) / page * page;
}

}  // namespace

void* raw_alloc(std::size_t bytes) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  if (bytes >= own_pages_from) {
    void* const p = os::reserve(whole_pages(bytes));
    if (p != nullptr) notes::mapping_begins(p, bytes);
    return p;
  }
  return ::operator new(bytes, std::align_val_t{line_bytes}, std::nothrow);
}

void raw_free(void* p, std::size_t bytes) noexcept {
  if (p == nullptr) return;
  if (bytes >= own_pages_from) {
    notes::mapping_ends(p, bytes);
    os::release(p, whole_pages(bytes));
  } else {
    // Tasks of one worker that used it one after the other are not ordered, as TSan sees it.
    notes::forget(p, static_cast<std::byte*>(p) + bytes / 8 * 8);
    ::operator delete(p, std::align_val_t{line_bytes});
  }
}

}  // namespace weft::rt
