// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams: so many tasks with a rank each, that share barriers, broadcasts and loops; see
// weft/team.h.
#pragma once

#include <cerrno>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "weft/cpp/error.hpp"
#include "weft/cpp/loop.hpp"
#include "weft/team.h"

namespace weft::par {

// One member of a team; all of them make the same calls in the same order.
class team_member {
 public:
  explicit team_member(weft_team_member_t* me) noexcept : me_(me) {}

  uint32_t rank() const noexcept { return weft_team_rank(me_); }
  uint32_t size() const noexcept { return weft_team_size(me_); }

  // Waits until all members have come. True for the last of them.
  bool wait() {
    return weft::detail::must(weft_team_wait(me_), "weft::par::team_member::wait") == 1;
  }

  // True for the first member who comes to this call, for no other.
  bool claim() {
    return weft::detail::must(weft_team_claim(me_), "weft::par::team_member::claim") == 1;
  }

  // The root's value reaches all others.
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void broadcast(uint32_t root, T& value) {
    weft::detail::must(weft_team_broadcast(me_, root, std::addressof(value), sizeof value),
                       "weft::par::team_member::broadcast");
  }

  // Calls body(i) for each i of [begin, end), shared with the members who come too. Returns when
  // there is nothing more to begin and the own blocks are over. False: some were not run.
  template <std::integral I, class Body>
    requires(std::is_signed_v<I> && sizeof(I) <= sizeof(int64_t))
  bool loop(I begin, I end, Body&& body, const how& h = by_default) {
    using body_type = std::remove_reference_t<Body>;
    struct {
      body_type& body;
    } held{body};  // a function has no address that is a void*
    const weft_loop_t options = detail::options_of(h);
    const int result = weft_team_loop(
        me_, begin, end, 1,
        [](int64_t first, int64_t last, void* arg) noexcept {
          detail::own<body_type> mine = static_cast<decltype(held)*>(arg)->body;
          for (int64_t i = first; i != last; ++i) mine(static_cast<I>(i));
        },
        &held, &options);
    if (result == -ECANCELED) return false;
    weft::detail::must(result, "weft::par::team_member::loop");
    return true;
  }

 private:
  weft_team_member_t* me_;
};

// Runs f(member&) for each member of a new team of that size: rank 0 by the caller, the others each
// in a task. An exception that leaves f, or the body of a shared loop, ends the process: the others
// would wait for that member for ever.
template <class F>
void team(uint32_t size, F&& f) {
  struct {
    std::remove_reference_t<F>& f;
  } held{f};
  weft::detail::must(weft_team_run(
                         size,
                         [](weft_team_member_t* me, void* arg) noexcept {
                           team_member m(me);
                           static_cast<decltype(held)*>(arg)->f(m);
                         },
                         &held),
                     "weft::par::team");
}

}  // namespace weft::par
