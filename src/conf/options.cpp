// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values and ranges of the table in words.
#include "conf/options.hpp"

#include <cstddef>
#include <cstdint>

#include "os/text.hpp"

namespace weft::rt::conf {

namespace {

// What a row must be for the code that walks the table.
constexpr bool rows_are_sound() noexcept {
  for (std::size_t i = 0; i < option_count; ++i) {
    const option& row = options[i];
    if (static_cast<std::size_t>(row.id) != i || row.least > row.most) return false;
    const bool has_words = row.type == option_type::choice || row.type == option_type::text;
    if (has_words != (row.words != nullptr)) return false;
    const bool standard_in_range = row.standard >= row.least && row.standard <= row.most;
    if (!standard_in_range && row.id != option_id::workers) return false;
  }
  return true;
}
static_assert(rows_are_sound());

}  // namespace

void add_value(os::text& to, const option& which, std::uint64_t value) noexcept {
  switch (which.type) {
    case option_type::number:
      to.decimal(value);
      break;
    case option_type::bytes:
      to.option_size(value);
      break;
    case option_type::choice:
      to.add(which.words[value - which.least]);
      break;
    case option_type::text:
      to.printable(value == 0 ? which.words[0] : reinterpret_cast<const char*>(value), most_shown);
      break;
  }
}

void add_accepted(os::text& to, const option& which) noexcept {
  switch (which.type) {
    case option_type::number:
      to.add("a whole number from ").decimal(which.least).add(" to ").decimal(which.most);
      break;
    case option_type::bytes:
      to.add("a size from ").option_size(which.least).add(" to ").option_size(which.most);
      to.add(" in bytes, K, M or G");
      break;
    case option_type::choice:
      for (std::uint64_t v = which.least; v <= which.most; ++v) {
        if (v != which.least) to.add(v == which.most ? " or " : ", ");
        add_value(to, which, v);
      }
      break;
    case option_type::text:
      to.add(which.words[1]);
      break;
  }
}

}  // namespace weft::rt::conf
