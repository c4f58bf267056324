// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scheduler of std::execution whose work is tasks, and a wait for senders that parks.
#pragma once

#if __has_include(<stdexec/execution.hpp>)

#include <exception>
#include <optional>
#include <stdexec/execution.hpp>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/cpp/cancel.hpp"
#include "weft/cpp/error.hpp"
#include "weft/cpp/outcome.hpp"
#include "weft/sync.h"
#include "weft/task.h"

namespace weft {

// Each piece of work is a task of its own, which may wait as tasks do. The task's argument is the
// operation, so scheduling allocates nothing but what a spawn does.
class scheduler {
  template <class Receiver>
  struct operation {
    using operation_state_concept = stdexec::operation_state_t;
    explicit operation(Receiver r) noexcept : receiver(std::move(r)) {}
    operation(operation&&) = delete;

    void start() & noexcept {
      const int failed = weft_task_spawn(run, this, nullptr);
      if (failed != 0)
        stdexec::set_error(std::move(receiver), detail::failure(failed, "weft::scheduler"));
    }
    static void* run(void* me) noexcept {
      Receiver& r = static_cast<operation*>(me)->receiver;
      if (stdexec::get_stop_token(stdexec::get_env(r)).stop_requested()) {
        stdexec::set_stopped(std::move(r));
      } else {
        stdexec::set_value(std::move(r));
      }
      return nullptr;
    }

    Receiver receiver;
  };

  struct attributes {
    template <class Tag>
    scheduler query(stdexec::get_completion_scheduler_t<Tag>) const noexcept {
      return {};
    }
  };

  struct sender {
    using sender_concept = stdexec::sender_t;
    using completion_signatures = stdexec::completion_signatures<
        stdexec::set_value_t(), stdexec::set_error_t(std::exception_ptr), stdexec::set_stopped_t()>;

    template <class Receiver>
    operation<Receiver> connect(Receiver r) const noexcept {
      return operation<Receiver>(std::move(r));
    }
    attributes get_env() const noexcept { return {}; }
  };

 public:
  using scheduler_concept = stdexec::scheduler_t;

  sender schedule() const noexcept { return {}; }
  stdexec::forward_progress_guarantee query(
      stdexec::get_forward_progress_guarantee_t) const noexcept {
    return stdexec::forward_progress_guarantee::parallel;
  }
  friend bool operator==(const scheduler&, const scheduler&) noexcept { return true; }
};

namespace detail {

template <class Values>
struct sender_wait {
  outcome<std::optional<Values>> result;
  weft_latch_t ended = WEFT_LATCH_INIT(1u);

  void end() noexcept { weft_latch_count_down(&ended, 1); }
};

template <class Values>
struct wait_receiver {
  using receiver_concept = stdexec::receiver_t;
  sender_wait<Values>* to;

  template <class... V>
  void set_value(V&&... values) noexcept {
    to->result.run(
        [&] { return std::optional<Values>(std::in_place, std::forward<V>(values)...); });
    to->end();
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    if constexpr (std::is_same_v<std::decay_t<Error>, std::exception_ptr>) {
      to->result.set_error(std::forward<Error>(error));
    } else if constexpr (std::is_same_v<std::decay_t<Error>, std::error_code>) {
      to->result.set_error(std::make_exception_ptr(std::system_error(error)));
    } else {
      to->result.set_error(std::make_exception_ptr(std::forward<Error>(error)));
    }
    to->end();
  }
  void set_stopped() noexcept {
    to->result.run([] { return std::optional<Values>(); });
    to->end();
  }
};

// What is sent by reference may lie in the operation's state, which ends with the wait.
template <class... Values>
using decayed_tuple = std::tuple<std::decay_t<Values>...>;

}  // namespace detail

// As stdexec::sync_wait, but a task that waits gives its worker up meanwhile.
template <class Sender>
auto sync_wait(Sender&& s) {
  using values = stdexec::value_types_of_t<Sender, stdexec::env<>, detail::decayed_tuple,
                                           std::type_identity_t>;
  detail::sender_wait<values> wait;
  auto op = stdexec::connect(std::forward<Sender>(s), detail::wait_receiver<values>{&wait});
  stdexec::start(op);
  const cancel_shield shield;  // the operation's state is here
  detail::must_not_fail(weft_latch_wait(&wait.ended), "weft::sync_wait");
  return wait.result.take();
}

}  // namespace weft

#endif
