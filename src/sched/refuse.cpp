// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says why a stackless task cannot do what it asked for.
#include "sched/refuse.hpp"

#include <cerrno>

#include "os/text.hpp"

namespace weft::rt {

int refuse_to_block(const char* call, const task& t) noexcept {
  static atomic<uint32_t> said{0};
  uint32_t nobody = 0;
  if (said.cas_relaxed(nobody, 1)) {  // count: the first one speaks; it publishes nothing
    os::text line;
    line.add("weft: ").add(call).add(": a stackless task cannot block (spawned at ");
    line.pointer(t.site.get()).add("); spawn it without WEFT_SPAWN_STACKLESS\n");
    line.write_to_stderr();
  }
  return -EPERM;
}

}  // namespace weft::rt
