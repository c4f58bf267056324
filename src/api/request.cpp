// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a weft_spawn_t, of whatever size the caller knows it, into what a spawn inside is asked
// with.
#include "api/request.hpp"

#include <array>
#include <cerrno>

#include "base/sized.hpp"

namespace weft::rt {

namespace {

constexpr std::size_t max_copy_bytes = std::size_t{1} << 30;
constexpr uint32_t known_flags = WEFT_SPAWN_WORK_FIRST | WEFT_SPAWN_STACKLESS | WEFT_SPAWN_STICKY |
                                 WEFT_SPAWN_SAVE_FP | WEFT_SPAWN_HIGH | WEFT_SPAWN_LOW |
                                 WEFT_SPAWN_NEXT;
static_assert((known_flags & (known_flags + 1)) == 0, "the table below has no holes");
constexpr uint32_t shepherd_bit = WEFT_SHEPHERD(0);
constexpr uint32_t pool_bit = shepherd_bit >> 1;
constexpr uint32_t most_key_words = 1024;

// Of each set of WEFT_SPAWN_ flags that there are: the flags of the task, or `refused`.
constexpr uint32_t refused = ~uint32_t{0};

constexpr uint32_t task_flags_of(uint32_t asked) noexcept {
  constexpr uint32_t not_both[] = {WEFT_SPAWN_STACKLESS | WEFT_SPAWN_WORK_FIRST,
                                   WEFT_SPAWN_HIGH | WEFT_SPAWN_LOW};
  for (const uint32_t both : not_both)
    if ((asked & both) == both) return refused;
  constexpr struct {
    uint32_t asked;
    uint32_t meant;
  } names[] = {{WEFT_SPAWN_STACKLESS, flag_stackless},
               {WEFT_SPAWN_STICKY, flag_sticky},
               {WEFT_SPAWN_SAVE_FP, flag_save_fp},
               {WEFT_SPAWN_HIGH, flag_high},
               {WEFT_SPAWN_LOW, flag_low},
               {WEFT_SPAWN_NEXT, flag_next}};
  uint32_t flags = 0;
  for (const auto& name : names)
    if ((asked & name.asked) != 0) flags |= name.meant;
  return flags;
}

constexpr auto task_flags = [] {
  std::array<uint32_t, known_flags + 1> all{};
  for (uint32_t asked = 0; asked < all.size(); ++asked) all[asked] = task_flags_of(asked);
  return all;
}();

WEFT_ALWAYS_INLINE int read_flags(uint32_t asked, spawn_request& out) noexcept {
  if (asked >= task_flags.size()) return -EINVAL;
  out.flags = task_flags[asked];
  out.work_first = (asked & WEFT_SPAWN_WORK_FIRST) != 0;
  const bool nowhere = (asked & WEFT_SPAWN_NEXT) != 0 && out.where.worker == no_worker;
  return out.flags != refused && !nowhere ? 0 : -EINVAL;
}

WEFT_ALWAYS_INLINE int read_known(const weft_spawn_t& spawn, const void* arg,
                                  spawn_request& out) noexcept {
  out.where = read_place(spawn.worker);
  if (spawn.flags != 0) {
    if (const int wrong = read_flags(spawn.flags, out); wrong != 0) return wrong;
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
