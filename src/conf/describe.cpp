// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lines of WEFT_INFO=1 that come from the table.
#include "conf/describe.hpp"

#include <cstdint>

#include "conf/options.hpp"
#include "conf/values.hpp"
#include "os/text.hpp"

namespace weft::rt::conf {

namespace {

const char* in_words(source from) noexcept {
  switch (from) {
    case source::built_in:
      return "default";
    case source::environment:
      return "environment";
    case source::caller:
      return "weft_start";
  }
  return "";
}

}  // namespace

void describe(const values& chosen, line_sink sink, void* to) noexcept {
  os::text line;
  line.add("weft: usable CPUs: ")
      .decimal(chosen.cpus.count)
      .add(" (")
      .add(chosen.cpus.why)
      .add(")");
  sink(to, line.c_str());
  for (const option& row : options) {
    source from{};
    const std::uint64_t value = row.get(chosen, from);
    line.clear();
    line.add("weft: ").add(row.name).add("=");
    add_value(line, row, value);
    line.add(" (").add(in_words(from));
    if (row.id == option_id::workers && from == source::built_in)
      line.add(": one for each usable CPU");
    line.add(")");
    sink(to, line.c_str());
  }
}

void to_stderr(void* /*to*/, const char* line) noexcept {
  os::text whole;
  whole.add(line).add("\n").write_to_stderr();
}

}  // namespace weft::rt::conf
