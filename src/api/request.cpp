// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a weft_spawn_t, of whatever size the caller knows it, into what a spawn inside is asked
// with.
#include "api/request.hpp"

#include <cerrno>

#include "base/sized.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t max_copy_bytes = std::size_t{1} << 30;
constexpr uint32_t known_flags = WEFT_SPAWN_WORK_FIRST | WEFT_SPAWN_STACKLESS | WEFT_SPAWN_STICKY |
                                 WEFT_SPAWN_SAVE_FP | WEFT_SPAWN_HIGH | WEFT_SPAWN_LOW |
                                 WEFT_SPAWN_NEXT;
constexpr uint32_t shepherd_bit = WEFT_SHEPHERD(0);
constexpr uint32_t pool_bit = shepherd_bit >> 1;
constexpr uint32_t most_key_words = 1024;

int read_flags(const weft_spawn_t& spawn, spawn_request& out) noexcept {
  if ((spawn.flags & ~known_flags) != 0) return -EINVAL;
  const bool stackless = (spawn.flags & WEFT_SPAWN_STACKLESS) != 0;
  out.work_first = (spawn.flags & WEFT_SPAWN_WORK_FIRST) != 0;
  if (stackless && out.work_first) return -EINVAL;
  const bool high = (spawn.flags & WEFT_SPAWN_HIGH) != 0;
  const bool low = (spawn.flags & WEFT_SPAWN_LOW) != 0;
  if (high && low) return -EINVAL;
  const bool next = (spawn.flags & WEFT_SPAWN_NEXT) != 0;
  if (next && out.where.worker == no_worker) return -EINVAL;
  uint32_t flags = 0;
  if (stackless) flags |= flag_stackless;
  if ((spawn.flags & WEFT_SPAWN_STICKY) != 0) flags |= flag_sticky;
  if ((spawn.flags & WEFT_SPAWN_SAVE_FP) != 0) flags |= flag_save_fp;
  if (high) flags |= flag_high;
  if (low) flags |= flag_low;
  if (next) flags |= flag_next;
  out.flags = flags;
  return 0;
}

WEFT_ALWAYS_INLINE int read_known(const weft_spawn_t& spawn, const void* arg,
                                  spawn_request& out) noexcept {
  out.where = read_place(spawn.worker);
  if (spawn.flags != 0) {
    if (const int wrong = read_flags(spawn, out); wrong != 0) return wrong;
  }
  if (spawn.copy_bytes != 0) {
    if (arg == nullptr) return -EINVAL;
    if (spawn.copy_bytes > max_copy_bytes) return -ERANGE;
    out.copy_bytes = spawn.copy_bytes;
  }
  if (spawn.key_words != 0) {
    if (spawn.key == nullptr) return -EINVAL;
    if (spawn.key_words > most_key_words) return -ERANGE;
    out.key = spawn.key;
    out.key_words = spawn.key_words;
  }
  out.name = spawn.name;
  return 0;
}

// From who knows the beginning only, or more.
WEFT_COLD int read_other(const weft_spawn_t& given, const void* arg, spawn_request& out) noexcept {
  weft_spawn_t spawn = WEFT_SPAWN_INIT;
  return read_sized(given, spawn) ? read_known(spawn, arg, out) : -EINVAL;
}

}  // namespace

place read_place(uint32_t where) noexcept {
  place out;
  if (where == WEFT_ANYWHERE) return out;
  if ((where & shepherd_bit) != 0) {
    out.shepherd = where & ~shepherd_bit;
  } else if ((where & pool_bit) != 0) {
    out.pool_handle = where;
  } else {
    out.worker = where;
  }
  return out;
}

int read_request(const weft_spawn_t* given, const void* arg, spawn_request& out) noexcept {
  if (given == nullptr) return 0;
  if (given->size == sizeof *given) [[likely]]
    return read_known(*given, arg, out);
  return read_other(*given, arg, out);
}

}  // namespace weft::rt
