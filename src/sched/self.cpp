// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread-local words of the runtime: one for workers, one for threads outside.
#include "sched/self.hpp"

extern "C" {
// `used`: its readers are inline assembly, which link-time optimisation does not look into.
__attribute__((visibility("default"), tls_model("initial-exec"),
               used)) __thread void* weft_self_word = nullptr;
}

namespace weft::rt {

namespace {

__attribute__((tls_model("initial-exec"))) __thread void* scopes_of_thread = nullptr;

}  // namespace

void* thread_scopes() noexcept { return scopes_of_thread; }
void set_thread_scopes(void* scopes) noexcept { scopes_of_thread = scopes; }

void set_self(worker* w) noexcept { weft_self_word = w; }

}  // namespace weft::rt
