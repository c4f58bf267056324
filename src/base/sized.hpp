// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs of the program's that begin with their own size, as the program was compiled with it.
#pragma once

#include <cstddef>
#include <cstring>

namespace weft::rt {

// Whether the size covers at least itself, and what lies beyond the known part is 0: an older
// library does not leave out what a newer program asks for.
template <class T>
bool size_is_good(const T& given) noexcept {
  if (given.size < sizeof given.size) return false;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&given);
  for (std::size_t i = sizeof given; i < given.size; ++i)
    if (bytes[i] != 0) return false;
  return true;
}

// What the caller knows of it; the rest of `out` stays. False: its size is not good.
template <class T>
[[nodiscard]] bool read_sized(const T& given, T& out) noexcept {
  if (!size_is_good(given)) return false;
  std::memcpy(&out, &given, given.size < sizeof out ? given.size : sizeof out);
  return true;
}

}  // namespace weft::rt
