// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says why a stackless task cannot do what it asked for.
//
// Orders
//   R1 <> R1   of all who are refused one speaks
#include "sched/refuse.hpp"

#include <cerrno>

#include "os/text.hpp"

namespace weft::rt {

int refuse_to_block(const char* call, const task& t) noexcept {
  static atomic<uint32_t> said{0};
  if (said.exchange_acq_rel(1) == 0) {  // R1 <> R1: only the first one speaks
    os::text line;
    line.add("weft: ").add(call).add(": a stackless task cannot block (spawned at ");
    line.pointer(t.site.get()).add("); spawn it without WEFT_SPAWN_STACKLESS\n");
    line.write_to_stderr();
  }
  return -EPERM;
}

}  // namespace weft::rt
