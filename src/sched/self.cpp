// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread-local words of the runtime: two for workers, two for threads outside.
#include "sched/self.hpp"

#include "sched/fork_stand_in.hpp"
#include "sched/task_state.hpp"

namespace {

constexpr weft::rt::fork_stand_in_worker nobody{};
constexpr void* no_forks = const_cast<weft::rt::fork_stand_in_worker*>(&nobody);

}  // namespace

extern "C" {
// `used`: its readers are inline assembly, which link-time optimisation does not look into.
__attribute__((visibility("default"), tls_model("initial-exec"),
               used)) __thread void* weft_self_word = nullptr;
// The worker as inlined code may use it for forks, else `nobody`: see weft/cpp/fork_abi.hpp.
__attribute__((visibility("default"), tls_model("initial-exec"),
               used)) __thread void* weft_fork_word = no_forks;
}

namespace weft::rt {

namespace {

__attribute__((tls_model("initial-exec"))) __thread void* scopes_of_thread = nullptr;
__attribute__((tls_model("initial-exec"))) __thread outside_flow* outside_of_thread = nullptr;

}  // namespace

void* thread_scopes() noexcept { return scopes_of_thread; }
void set_thread_scopes(void* scopes) noexcept { scopes_of_thread = scopes; }

outside_flow* thread_outside() noexcept { return outside_of_thread; }
void set_thread_outside(outside_flow* flow) noexcept { outside_of_thread = flow; }

void set_self(worker* w) noexcept {
  weft_self_word = w;
  // Where tasks are sticky unless they say otherwise, none is plain.
  weft_fork_word = w != nullptr && default_task_flags.get() == 0 ? static_cast<void*>(w) : no_forks;
}

}  // namespace weft::rt
