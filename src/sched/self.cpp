// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one thread-local word of the runtime.
#include "sched/self.hpp"

extern "C" {
// `used`: its readers are inline assembly, which link-time optimisation does not look into.
__attribute__((visibility("default"), tls_model("initial-exec"),
               used)) __thread void* weft_self_word = nullptr;
}

namespace weft::rt {

void set_self(worker* w) noexcept { weft_self_word = w; }

}  // namespace weft::rt
