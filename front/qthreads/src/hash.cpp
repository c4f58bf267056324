// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hash functions: multiplication and folding of 64 by 64 bits.
#include <cstring>
#include <qthread/hash.h>

namespace {

uint64_t fold(uint64_t a, uint64_t b) noexcept {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t first = 0xa0761d6478bd642f, second = 0xe7037ed1a0b428db;

}  // namespace

uint64_t qt_hash64(uint64_t key) {
  return fold(key ^ first, GOLDEN_RATIO ^ (key << 32 | key >> 32));
}

aligned_t qt_hash_bytes(void* key_ptr, size_t bytes, aligned_t state) {
  const auto* at = static_cast<const unsigned char*>(key_ptr);
  uint64_t h = state ^ fold(bytes ^ first, second);
  for (; bytes >= 8; bytes -= 8, at += 8) {
    uint64_t part;
    std::memcpy(&part, at, 8);
    h = fold(h ^ part ^ first, second);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, at, bytes);
  return fold(h ^ rest ^ second, first ^ bytes);
}
