// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slabs of equal objects, and the places in them where returned objects wait.
#include "mem/magazine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "arch/fiber_notes.hpp"
#include "base/attributes.hpp"
#include "os/memory.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t first_slab_bytes = std::size_t{64} << 10;
constexpr std::size_t largest_slab_bytes = std::size_t{4} << 20;
constexpr std::size_t least_objects = 2;  // in a slab of large objects

}  // namespace

bool slab_depot::add_slab() noexcept {
  static_assert(sizeof(slab) <= line_bytes);
  const std::size_t page = os::page_bytes();
  std::size_t bytes = newest_ == nullptr ? first_slab_bytes : newest_->bytes * 2;
  bytes = std::min(bytes, largest_slab_bytes);
  bytes = std::max(bytes, line_bytes + least_objects * (object_bytes_ + sizeof(void*)));
  bytes = (bytes + page - 1) / page * page;
  void* memory = os::reserve(bytes);
  if (memory == nullptr) return false;
  notes::mapping_begins(memory, bytes);
  auto* s = ::new (memory) slab{};
  s->older = newest_;
  s->bytes = bytes;
  s->objects = static_cast<std::byte*>(memory) + line_bytes;
  s->count = static_cast<std::uint32_t>((bytes - line_bytes) / (object_bytes_ + sizeof(void*)));
  s->places = reinterpret_cast<void**>(s->objects + s->count * object_bytes_);
  if (newest_ == nullptr) {
    oldest_ = s;
    depot_top_ = s;
  } else {
    newest_->newer = s;
  }
  newest_ = s;
  bytes_ += bytes;
  return true;
}

std::uint32_t slab_depot::take(void** out, std::uint32_t wanted) noexcept {
  const std::scoped_lock lock(mutex_);
  std::uint32_t taken = 0;
  while (taken < wanted && depot_top_ != nullptr) {
    if (depot_top_->filled > 0) {
      out[taken++] = depot_top_->places[--depot_top_->filled];
    } else if (depot_top_->older != nullptr) {
      depot_top_ = depot_top_->older;
    } else {
      break;
    }
  }
  return taken;
}

slab_depot::run slab_depot::carve(std::uint32_t wanted) noexcept {
  const std::scoped_lock lock(mutex_);
  if (newest_ == nullptr || newest_->carved == newest_->count) {
    if (!add_slab()) return {};
  }
  slab& s = *newest_;
  const std::uint32_t count = std::min(wanted, s.count - s.carved);
  std::byte* first = s.objects + s.carved * object_bytes_;
  s.carved += count;
  made_ += count;
  return {first, count};
}

void slab_depot::give(void* const* objects, std::uint32_t count) noexcept {
  const std::scoped_lock lock(mutex_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (depot_top_->filled == depot_top_->count)
      depot_top_ = depot_top_->newer;  // I2: there is one
    depot_top_->places[depot_top_->filled++] = objects[i];
  }
}

std::uint64_t slab_depot::made() const noexcept {
  const std::scoped_lock lock(mutex_);
  return made_;
}

std::uint64_t slab_depot::bytes() const noexcept {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

bool slab_depot::owns(const void* object) const noexcept {
  const std::scoped_lock lock(mutex_);
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  for (const slab* s = newest_; s != nullptr; s = s->older)
    if (at - reinterpret_cast<std::uintptr_t>(s) < s->bytes) return true;
  return false;
}

void slab_depot::for_each(void (*visit)(void*)) noexcept {
  for (slab* s = oldest_; s != nullptr; s = s->newer) {
    for (std::uint32_t i = 0; i < s->carved; ++i) visit(s->objects + i * object_bytes_);
  }
}

void slab_depot::stop() noexcept {
  slab* s = oldest_;
  while (s != nullptr) {
    slab* newer = s->newer;
    notes::mapping_ends(s, s->bytes);
    os::release(s, s->bytes);
    s = newer;
  }
  newest_ = nullptr;
  oldest_ = nullptr;
  depot_top_ = nullptr;
  made_ = 0;
  bytes_ = 0;
}

}  // namespace weft::rt
