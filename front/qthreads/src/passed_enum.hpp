// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a C program passes for an enum, which may be any number.
#pragma once

#include <cstring>

namespace weft::qt {

// As the number that it is: to read what is beyond the enum's values as one of them is undefined.
template <class Enum>
unsigned number_of(const Enum& passed) noexcept {
  unsigned n = 0;
  static_assert(sizeof passed == sizeof n);
  std::memcpy(&n, &passed, sizeof n);
  return n;
}

}  // namespace weft::qt
