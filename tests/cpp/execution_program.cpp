// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders of stdexec on Weft's scheduler: where they run, what they give, how they end.
#include <atomic>
#include <stdexcept>
#include <thread>
#include <tuple>

#include <weft/execution.hpp>
#include <weft/weft.hpp>

#include "support.hpp"

namespace weft::test {
namespace {

using cpp_execution = at_workers;

TEST_F(cpp_execution, work_runs_in_tasks_of_its_own) {
  const weft_task_t me = weft_task_self();
  for (int i = 0; i < scaled(200); ++i) {
    auto work = stdexec::schedule(scheduler()) | stdexec::then([me] {
                  EXPECT_NE(weft_task_self(), nullptr);
                  EXPECT_NE(weft_task_self(), me);
                  weft::this_task::yield();
                  return 20;
                }) |
                stdexec::then([](int n) { return n + 3; });
    const auto [n] = weft::sync_wait(std::move(work)).value();
    EXPECT_EQ(n, 23);
  }
}

TEST_F(cpp_execution, when_all_joins_what_runs_at_once) {
  channel<int> between;
  auto sends = stdexec::schedule(scheduler()) | stdexec::then([&] { between.send(5); });
  auto receives =
      stdexec::schedule(scheduler()) | stdexec::then([&] { return between.receive().value(); });
  const auto [n] =
      weft::sync_wait(stdexec::when_all(std::move(sends), std::move(receives))).value();
  EXPECT_EQ(n, 5);
}

// A sender that could give a number and stops instead.
struct gives_up {
  using sender_concept = stdexec::sender_t;
  using completion_signatures =
      stdexec::completion_signatures<stdexec::set_value_t(int), stdexec::set_stopped_t()>;
  template <class Receiver>
  struct operation {
    using operation_state_concept = stdexec::operation_state_t;
    void start() & noexcept { stdexec::set_stopped(std::move(receiver)); }
    Receiver receiver;
  };
  template <class Receiver>
  operation<Receiver> connect(Receiver r) const {
    return {std::move(r)};
  }
};

TEST_F(cpp_execution, exceptions_and_stops_reach_who_waits) {
  auto fails = stdexec::schedule(scheduler()) |
               stdexec::then([]() -> int { throw std::runtime_error("in a sender"); });
  EXPECT_THROW((void)weft::sync_wait(std::move(fails)), std::runtime_error);
  auto stops = stdexec::schedule(scheduler()) | stdexec::let_value([] { return gives_up(); });
  EXPECT_FALSE(weft::sync_wait(std::move(stops)).has_value());
}

TEST_F(cpp_execution, starts_on_as_any_scheduler_does) {
  static_assert(stdexec::scheduler<scheduler>);
  EXPECT_EQ(scheduler(), scheduler());
  const auto [n] = weft::sync_wait(stdexec::starts_on(scheduler(), stdexec::just(9))).value();
  EXPECT_EQ(n, 9);
}

}  // namespace
}  // namespace weft::test
