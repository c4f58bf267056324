// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the environment and weft_start's arguments to conf::values, or to a line saying why not.
#pragma once

#include <cstdint>

#include "conf/options.hpp"
#include "conf/values.hpp"
#include "os/text.hpp"

namespace weft::rt::conf {

enum class [[nodiscard]] result { ok, refused };

// Why a value was refused: one line, newline included, as it goes to standard error.
struct error {
  os::text line;
};

// Every option from the environment, else its default. A bad value, or a variable that begins with
// WEFT_ and is no option, is refused: err holds the line, out is unchanged. An empty value counts
// as unset. Reads environ, which no other thread may change meanwhile.
result read(values& out, error& err) noexcept;

// The same from a given environment and a given count of CPUs.
result read_from(const char* const* environment, const os::cpu_count& cpus, values& out,
                 error& err) noexcept;

// A value that looked well, and is refused by the part that it is for: "weft: NAME=value: not
// accepted; " and the reason.
void refuse_later(const values& chosen, option_id which, const char* because, error& err) noexcept;

// A value that the caller of weft_start gave, in the option's own unit (a choice: its number). It
// overrides what the environment said. Refused: out is unchanged.
result set_by_caller(values& out, option_id which, std::uint64_t value, error& err) noexcept;

}  // namespace weft::rt::conf
