// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Refusing an option that only the part which it is for can judge.
#pragma once

#include <cerrno>

#include "conf/options.hpp"
#include "conf/read.hpp"

namespace weft::rt::boot {

// Writes the line to standard error; -EINVAL.
inline int refuse(const conf::values& v, conf::option_id which, const char* because) noexcept {
  conf::error why;
  conf::refuse_later(v, which, because, why);
  why.line.write_to_stderr();
  return -EINVAL;
}

}  // namespace weft::rt::boot
