// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SHA-1 (FIPS 180-4) of the 20 or 24 bytes that the tree generator hashes: always one block.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace weft::bench {

using sha1_digest = std::array<uint32_t, 5>;  // big-endian words, as the standard numbers them

// words: the message in big-endian words; at most 13 of them fit in one block.
template <size_t Words>
sha1_digest sha1(const std::array<uint32_t, Words>& words) {
  static_assert(Words <= 13, "a message of one block");
  uint32_t w[16] = {};
  for (size_t i = 0; i < Words; ++i) w[i] = words[i];
  w[Words] = 0x80000000u;
  w[15] = Words * 32;
  uint32_t a = 0x67452301u;
  uint32_t b = 0xEFCDAB89u;
  uint32_t c = 0x98BADCFEu;
  uint32_t d = 0x10325476u;
  uint32_t e = 0xC3D2E1F0u;
  for (int t = 0; t < 80; ++t) {
    if (t >= 16) {
      w[t & 15] = std::rotl(w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15], 1);
    }
    uint32_t f = 0;
    if (t < 20) {
      f = ((b & c) | (~b & d)) + 0x5A827999u;
    } else if (t < 40) {
      f = (b ^ c ^ d) + 0x6ED9EBA1u;
    } else if (t < 60) {
      f = ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDCu;
    } else {
      f = (b ^ c ^ d) + 0xCA62C1D6u;
    }
    const uint32_t next = std::rotl(a, 5) + f + e + w[t & 15];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  return {a + 0x67452301u, b + 0xEFCDAB89u, c + 0x98BADCFEu, d + 0x10325476u, e + 0xC3D2E1F0u};
}

}  // namespace weft::bench
